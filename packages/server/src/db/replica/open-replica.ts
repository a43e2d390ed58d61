import { sql } from 'kysely'
import type pg from 'pg'
import { batched } from '../../lib/batched.ts'
import type { Database } from '../database.ts'
import { CONNECT_TIMEOUT_MS } from '../pool/create-pool.ts'

export interface Replica {
  db: Database
  /** Returns the position up to which the standby has replayed the primary's write-ahead log (WAL), in bytes. */
  replayed(): Promise<bigint>
  close(): Promise<void>
}

/**
 * Opens a pool that runs `check` on each new connection. `size` is the maximum number of connections. If omitted, it is
 * MUSTER_DATABASE_CONNECTIONS.
 */
export type OpenPool = (check: (client: pg.ClientBase) => Promise<void>, size?: number) => Database

/** Connects to the server in DATABASE_READ_URL. Rejects if that server is not a standby of `primary`. */
export async function openReplica(primary: Database, open: OpenPool): Promise<Replica> {
  // An address may lead to several servers behind a load balancer, or to a different server later. The WAL position of
  // one server does not apply to the others.
  let firstServer: string | undefined
  const check = async (client: pg.ClientBase): Promise<void> => {
    const text = `select system_identifier || ' ' || pg_postmaster_start_time() as server from pg_control_system()`
    // Without a time limit, a pool could not close while this query waits for a server that does not respond.
    const query = { text, query_timeout: CONNECT_TIMEOUT_MS } as pg.QueryConfig
    const { rows } = await client.query<{ server: string }>(query)
    firstServer ??= rows[0]!.server
    if (rows[0]!.server !== firstServer)
      throw rejectedConnection('the server at the address in DATABASE_READ_URL has changed or restarted')
  }
  const db = open(check)
  // Reads of the position use a separate connection. Otherwise, they would wait for slow lists.
  const positionDb = open(check, 1)
  const close = async (): Promise<void> => void (await Promise.all([db.destroy(), positionDb.destroy()]))
  try {
    await assertStandby(primary, db)
  } catch (error) {
    await close()
    throw error
  }
  const readPosition = batched(async () => new Map([['replayed', await readReplayed(positionDb)]]))
  return { db, replayed: async () => (await readPosition('replayed'))!, close }
}

/** Creates an error with PostgreSQL's code for a rejected connection (Appendix A, class 08). */
const rejectedConnection = (message: string): Error => Object.assign(new Error(message), { code: '08004' })

async function assertStandby(primary: Database, db: Database): Promise<void> {
  const [ours, theirs] = [await readSystem(primary), await readSystem(db)]
  if (!theirs.isStandby) throw new Error('the server in DATABASE_READ_URL is not a standby')
  if (theirs.system !== ours.system)
    throw new Error('the server in DATABASE_READ_URL is a standby, but not of the database in DATABASE_URL')
}

/**
 * Reads PostgreSQL's system identifier, which is the same for a primary and its standbys, and whether the server is a
 * standby.
 */
export async function readSystem(db: Database): Promise<{ system: string; isStandby: boolean }> {
  const { rows } = await sql<{ system: string; isStandby: boolean }>`
    select system_identifier::text as system, pg_is_in_recovery() as "isStandby" from pg_control_system()`.execute(db)
  return rows[0]!
}

async function readReplayed(db: Database): Promise<bigint> {
  const { rows } = await sql<{ at: string | null }>`
    select case when pg_is_in_recovery() then pg_last_wal_replay_lsn() - '0/0' end::text as at`.execute(db)
  const at = rows[0]!.at
  if (at === null) throw rejectedConnection('the server in DATABASE_READ_URL is no longer a standby')
  return BigInt(at)
}
