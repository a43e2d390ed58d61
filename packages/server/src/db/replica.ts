import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import type pg from 'pg'
import { batched } from '../lib/batched.ts'
import type { Database } from './database.ts'

/** A connection to one running standby of the primary, and to no other server, whatever stands behind its address. */
export interface Replica {
  db: Database
  /** How far it has replayed the primary's log by now, in bytes. */
  replayed(): Promise<bigint>
  close(): Promise<void>
}

/** Makes a pool of so many connections, or as many as lists may take, each of which is checked before it is used. */
export type OpenPool = (check: (client: pg.ClientBase) => Promise<void>, size?: number) => Database

/** Rejects where what answers is no standby of the primary. */
export async function openReplica(primary: Database, open: OpenPool): Promise<Replica> {
  // An address may lead to several servers, by a balancer, or to another one from one day to the next: what one has replayed says
  // nothing of the others.
  let first: string | undefined
  const check = async (client: pg.ClientBase): Promise<void> => {
    const { rows } = await client.query<{ server: string }>(
      `select system_identifier || ' ' || pg_postmaster_start_time() as server from pg_control_system()`,
    )
    first ??= rows[0]!.server
    if (rows[0]!.server !== first) throw refused('another server answers than before')
  }
  const db = open(check)
  // How far it is, is asked where no list that takes long is in the way.
  const beside = open(check, 1)
  const close = async (): Promise<void> => void (await Promise.all([db.destroy(), beside.destroy()]))
  try {
    await assertStandby(primary, db)
  } catch (error) {
    await close()
    throw error
  }
  const ask = batched(async () => new Map([['replayed', await readReplayed(beside)]]))
  return { db, replayed: async () => (await ask('replayed'))!, close }
}

/** As of a connection that cannot be used (PostgreSQL Appendix A, class 08). */
const refused = (message: string): Error => Object.assign(new Error(message), { code: '08004' })

async function assertStandby(primary: Database, db: Database): Promise<void> {
  const [ours, theirs] = [await readSystem(primary), await readSystem(db)]
  if (!theirs.isStandby) throw new Error('it is no standby')
  if (theirs.system !== ours.system) throw new Error('it is a standby of another database')
}

/** Which database it is a copy of, and whether it is one that follows. */
export async function readSystem(db: Database): Promise<{ system: string; isStandby: boolean }> {
  const { rows } = await sql<{ system: string; isStandby: boolean }>`
    select system_identifier::text as system, pg_is_in_recovery() as "isStandby" from pg_control_system()`.execute(db)
  return rows[0]!
}

async function readReplayed(db: Database): Promise<bigint> {
  const { rows } = await sql<{ at: string | null }>`
    select case when pg_is_in_recovery() then pg_last_wal_replay_lsn() - '0/0' end::text as at`.execute(db)
  const at = rows[0]!.at
  if (at === null) throw refused('it is a standby no longer')
  return BigInt(at)
}

/**
 * How far the primary's log is written: whatever has been answered as done is before it. Where the database answers before it has
 * written, how far it has got in memory.
 */
export async function readWritten(primary: Database): Promise<bigint> {
  const { rows } = await sql<{ at: string }>`
    select (case current_setting('synchronous_commit') when 'off' then pg_current_wal_insert_lsn()
      else pg_current_wal_flush_lsn() end - '0/0')::text as at`.execute(primary)
  return BigInt(rows[0]!.at)
}

const LOOK_EVERY_MS = 3

/** Whether the replica has come as far within this time; 'silent' where it says nothing. */
export async function catchesUp(replica: Replica, to: bigint, withinMs: number): Promise<boolean | 'silent'> {
  const timer = new AbortController()
  const late = sleep(withinMs, 'late' as const, { signal: timer.signal, ref: false }).catch(() => 'late' as const)
  try {
    for (let isSilent = true; ; isSilent = false) {
      const asked = replica.replayed()
      asked.catch(() => {})
      const replayed = await Promise.race([asked, late])
      if (replayed === 'late') return isSilent ? 'silent' : false
      if (replayed >= to) return true
      if ((await Promise.race([sleep(LOOK_EVERY_MS), late])) === 'late') return false
    }
  } finally {
    timer.abort()
  }
}
