import { type Database, query } from '../database.ts'

/** The worker that stores the rows of an account, and the worker's tables that the account's queries read. */
export interface Shard {
  /** The ID of the shard of the table `account`. */
  id: string
  /** The Citus group ID of the worker. */
  node: string
  /** The names of the worker's tables, keyed by the names of distributed tables and reference tables. */
  tables: Readonly<Record<string, string>>
}

export async function selectShards(db: Database, accountIds: readonly string[]): Promise<Map<string, Shard>> {
  const rows = await query<Shard & { accountIds: string[] }>(
    db,
    `select shardid::text as id, groupid::text as node, "accountIds",
       (select jsonb_object_agg(relname, shard_name(part.logicalrelid, part.shardid))
        from pg_dist_shard as part join pg_class on oid = logicalrelid
        where not relispartition and (part.shardminvalue is null
          or part.shardminvalue = shard.shardminvalue and part.shardmaxvalue = shard.shardmaxvalue)) as tables
     from (select get_shard_id_for_distribution_column('account', id) as found, array_agg(id) as "accountIds"
       from unnest($1::text[]) as id group by found) as given
     join pg_dist_shard as shard on shard.shardid = found
     join pg_dist_placement using (shardid)`,
    [accountIds],
  )
  return new Map(rows.flatMap(({ accountIds, ...shard }) => accountIds.map((id) => [id, shard])))
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
