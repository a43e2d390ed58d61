import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Database } from '../database.ts'

const LOOK_EVERY_MS = 200

export interface SessionLockOptions {
  signal?: AbortSignal | undefined
  onWait?: () => Promise<void>
}

/**
 * Does work under a lock that its session holds: it ends with the connection, whatever becomes of the process. `connection` is a single one.
 * It asks again and again rather than in a statement that waits: that one would hold a snapshot, for whose end an index made
 * concurrently would wait, and so its maker for him who waits for his lock.
 */
export async function withSessionLock<Result>(
  connection: Database,
  name: string,
  work: () => Promise<Result>,
  { signal, onWait = async () => {} }: SessionLockOptions = {},
): Promise<Result> {
  while (!(await tryLock(connection, name))) {
    await onWait()
    await sleep(LOOK_EVERY_MS, undefined, { signal })
  }
  try {
    return await work()
  } finally {
    // A connection that broke in the work has let go already, and says nothing new.
    await sql`select pg_advisory_unlock(hashtext(${name}))`.execute(connection).catch(() => {})
  }
}

async function tryLock(connection: Database, name: string): Promise<boolean> {
  const { rows } = await sql<{ locked: boolean }>`select pg_try_advisory_lock(hashtext(${name})) as locked`.execute(
    connection,
  )
  return rows[0]!.locked
}
