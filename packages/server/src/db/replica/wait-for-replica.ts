import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Database } from '../database.ts'
import type { Replica } from './open-replica.ts'

/**
 * Returns a position in the primary's WAL, in bytes. All reported commits precede this position. Usually, it is the
 * flush position. If `synchronous_commit` is off, the primary reports commits before it flushes them, so the position
 * is the insert position.
 */
export async function readWritten(primary: Database): Promise<bigint> {
  const { rows } = await sql<{ at: string }>`
    select (case current_setting('synchronous_commit') when 'off' then pg_current_wal_insert_lsn()
      else pg_current_wal_flush_lsn() end - '0/0')::text as at`.execute(primary)
  return BigInt(rows[0]!.at)
}

const POLL_INTERVAL_MS = 3

/** Returns whether the replica reaches the position in time, or 'silent' if the replica does not respond at all. */
export async function reachesPosition(replica: Replica, to: bigint, withinMs: number): Promise<boolean | 'silent'> {
  const timer = new AbortController()
  const timeout = sleep(withinMs, 'late' as const, { signal: timer.signal, ref: false }).catch(() => 'late' as const)
  try {
    for (let hasNoResponse = true; ; hasNoResponse = false) {
      const request = replica.replayed()
      request.catch(() => {})
      const replayed = await Promise.race([request, timeout])
      if (replayed === 'late') return hasNoResponse ? 'silent' : false
      if (replayed >= to) return true
      if ((await Promise.race([sleep(POLL_INTERVAL_MS), timeout])) === 'late') return false
    }
  } finally {
    timer.abort()
  }
}
