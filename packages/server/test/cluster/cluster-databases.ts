import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import pg from 'pg'
import { distributeTables } from '../../src/db/cluster/distribute.ts'
import type { Database } from '../../src/db/database.ts'

/** The URLs of the workers, if the tests run on a Citus cluster. The coordinator's URL is MUSTER_TEST_DATABASE_URL. */
const workers = (process.env.MUSTER_TEST_CLUSTER_WORKERS ?? '').split(',').filter((url) => url !== '')

export const isCluster = workers.length > 0

/** The PostgreSQL or Citus view that lists the running statements of all nodes. */
export const statActivity = isCluster ? 'citus_stat_activity' : 'pg_stat_activity'

/** The number of shards. A few are enough to separate accounts, and more would make each test database larger. */
const SHARDS = 4

export const clusterSettings: Record<string, string> = isCluster ? { MUSTER_CLUSTER: 'citus' } : {}

/** Runs `work` with the connection settings of each worker. Does nothing on plain PostgreSQL. */
export async function onWorkers(work: (worker: pg.ClientConfig) => Promise<unknown>): Promise<void> {
  for (const connectionString of workers) await work({ connectionString })
}

export const workersAt = (name: string): pg.ClientConfig[] => workers.map((url) => atDatabase(url, name))

/** Makes the database part of the cluster, and distributes its tables. Does nothing on plain PostgreSQL. */
export async function placeOnCluster(db: Database, name: string): Promise<void> {
  if (!isCluster) return
  const coordinator = new URL(process.env.MUSTER_TEST_DATABASE_URL!)
  for (const url of workers) {
    const client = new pg.Client(atDatabase(url, name))
    await client.connect()
    await client.query('create extension citus')
    await client.end()
  }
  await sql`create extension citus`.execute(db)
  await sql`select citus_set_coordinator_host(${coordinator.hostname}, ${Number(coordinator.port)})`.execute(db)
  for (const url of workers.map((text) => new URL(text)))
    await sql`select citus_add_node(${url.hostname}, ${Number(url.port)})`.execute(db)
  await distributeTables(db, { cluster: { shards: SHARDS } })
}

/**
 * Forbids connections to a database, and terminates the open ones, such as those of Citus. PostgreSQL copies and drops
 * only an unused database. Does nothing on plain PostgreSQL.
 */
export async function disconnect(connection: pg.ClientConfig, name: string): Promise<void> {
  if (!isCluster) return
  const nodes = [connection, ...workers.map((connectionString) => ({ connectionString }))]
  // Forbid connections on every node first: a connection of Citus does not end while it waits for another node.
  for (const node of nodes)
    await query(node, 'update pg_database set datallowconn = false where datname = $1 and datallowconn', [name])
  const terminate = 'select pg_terminate_backend(pid) from pg_stat_activity where datname = $1'
  for (const node of nodes) while ((await query(node, terminate, [name])).length > 0) await sleep(100)
}

async function query(node: pg.ClientConfig, statement: string, values: unknown[]): Promise<unknown[]> {
  const client = new pg.Client(node)
  await client.connect()
  try {
    return (await client.query(statement, values)).rows
  } finally {
    await client.end()
  }
}

function atDatabase(url: string, name: string): pg.ClientConfig {
  const own = new URL(url)
  own.pathname = `/${name}`
  return { connectionString: own.href }
}
