import pg from 'pg'
import { expect, it, onTestFinished } from 'vitest'
import { sharedTestApp } from '../../harness/app.ts'
import { collectErrors, startLoad } from './load.ts'

const MOVES = 10

const { log, errors } = collectErrors()
const app = sharedTestApp({ log })

async function connect(): Promise<pg.Client> {
  const client = new pg.Client(app.connection)
  await client.connect()
  onTestFinished(() => client.end())
  return client
}

/**
 * Moves the account's shard to the other worker. Retries if the copy that an earlier move left there is still locked:
 * Citus waits only one second for the lock.
 */
async function move(client: pg.Client, accountId: string): Promise<void> {
  for (;;) {
    try {
      await client.query(
        `select citus_move_shard_placement(shard.shardid, shard.nodename, shard.nodeport, other.nodename, other.nodeport,
           shard_transfer_mode => 'force_logical')
         from citus_shards as shard, pg_dist_node as other
         where shard.shardid = get_shard_id_for_distribution_column('device', $1::text)
           and other.shouldhaveshards and other.nodeport <> shard.nodeport`,
        [accountId],
      )
      return
    } catch (error) {
      if (!/orphaned shard .* could not be cleaned up/.test((error as Error).message)) throw error
    }
  }
}

it(`loses no change and misses no event during ${MOVES} moves of shards`, async () => {
  const load = await startLoad(app, errors)
  const client = await connect()
  for (let time = 0; time < MOVES; time++) await move(client, load.users[time % load.users.length]!.accountId)
  console.log(`${MOVES} moves of shards: ${await load.finish()}`)
})

async function crowd(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ shardid: string; from: number; to: number }>(
    `select shardid, nodeport as from, min(nodeport) over () as to from citus_shards where table_name = 'device'::regclass`,
  )
  for (const { shardid, from, to } of rows.filter((shard) => shard.from !== shard.to))
    await client.query(`select citus_move_shard_placement($1, '127.0.0.1', $2, '127.0.0.1', $3, 'block_writes')`, [
      shardid,
      from,
      to,
    ])
}

async function countNodes(client: pg.Client): Promise<number> {
  const { rows } = await client.query(
    `select count(distinct nodeport)::int as nodes from citus_shards where table_name = 'device'::regclass`,
  )
  return rows[0].nodes
}

it('loses no change and misses no event while the cluster balances its shards', async () => {
  const client = await connect()
  await crowd(client)
  expect(await countNodes(client)).toBe(1)
  const load = await startLoad(app, errors)
  await client.query(`select citus_rebalance_start(shard_transfer_mode => 'force_logical')`)
  await client.query('select citus_rebalance_wait()')
  expect(await countNodes(client)).toBe(2)
  console.log(`a rebalance of all shards: ${await load.finish()}`)
})
