import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Database } from '../database.ts'

const POLL_INTERVAL_MS = 200

export interface SessionLockOptions {
  signal?: AbortSignal | undefined
  onWait?: () => Promise<void>
}

/**
 * Runs `work` while the session of `connection` holds an advisory lock, and then releases the lock. PostgreSQL also
 * releases the lock when the connection ends, even if the process is killed. `connection` must be a single connection.
 *
 * Polls for the lock, because a statement that waits for the lock would hold a snapshot. CREATE INDEX CONCURRENTLY
 * waits for all snapshots, so the two statements could block each other.
 */
export async function withSessionLock<Result>(
  connection: Database,
  name: string,
  work: () => Promise<Result>,
  { signal, onWait = async () => {} }: SessionLockOptions = {},
): Promise<Result> {
  while (!(await tryLock(connection, name))) {
    await onWait()
    await sleep(POLL_INTERVAL_MS, undefined, { signal })
  }
  try {
    return await work()
  } finally {
    // If the connection broke during the work, PostgreSQL has released the lock, and the work has reported the error.
    await sql`select pg_advisory_unlock(hashtext(${name}))`.execute(connection).catch(() => {})
  }
}

async function tryLock(connection: Database, name: string): Promise<boolean> {
  const { rows } = await sql<{ locked: boolean }>`select pg_try_advisory_lock(hashtext(${name})) as locked`.execute(
    connection,
  )
  return rows[0]!.locked
}
