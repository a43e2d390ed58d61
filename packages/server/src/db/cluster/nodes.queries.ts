import { type Database, query } from '../database.ts'

export async function selectNodes(db: Database, accountIds: readonly string[]): Promise<Map<string, string>> {
  const rows = await query<{ id: string; node: string }>(
    db,
    `select id, groupid::text as node
     from (select id, get_shard_id_for_distribution_column('account', id) as shard from unnest($1::text[]) as id) as given
     join pg_dist_placement on shardid = shard`,
    [accountIds],
  )
  return new Map(rows.map(({ id, node }) => [id, node]))
}

export interface Identity {
  system: string
  node: string
  isStandby: boolean
}

export async function selectIdentity(db: Database): Promise<Identity> {
  const rows = await query<Identity>(
    db,
    `select system_identifier::text as system, groupid::text as node, pg_is_in_recovery() as "isStandby"
     from pg_control_system(), pg_dist_local_group`,
    [],
  )
  return rows[0]!
}

/** Checks whether the server with this identity is a worker of the cluster. */
export async function isWorker(db: Database, { system, node }: Identity): Promise<boolean> {
  const rows = await query<{ success: boolean; result: string }>(
    db,
    `select success, result from run_command_on_workers('select system_identifier || '' '' || groupid
       from pg_control_system(), pg_dist_local_group') where success and result = $1`,
    [`${system} ${node}`],
  )
  return rows.length > 0
}
