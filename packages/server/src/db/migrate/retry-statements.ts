import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Database } from '../database.ts'
import { LOG_INTERVAL_MS, type MigrationLog } from './log.ts'
import { findOpenTransactions } from './open-transactions.ts'
import type { Progress } from './progress.ts'

export interface Run {
  connection: Database
  /** Other connections, through which the migration observes and cancels the statements that run on `connection`. */
  db: Database
  log: MigrationLog
  signal: AbortSignal
}

/**
 * The maximum time that a statement of a short transaction waits for a lock on a table. It is short, because later
 * statements on the table wait behind this statement.
 */
const LOCK_TIMEOUT = '1s'
const PAUSE_MS = { first: 100, max: 5_000 }

const retryable: ReadonlySet<unknown> = new Set(['55P03', '40P01'])

/**
 * Runs `work` in a transaction. Retries the transaction if it waits more than a second for a lock or fails because of a
 * deadlock. Between attempts, the statements that wait behind this transaction can run.
 */
export async function inShortTransaction<Result>(
  { connection, log, signal }: Run,
  work: (transaction: Database) => Promise<Result>,
): Promise<Result> {
  for (let tries = 0; ; tries++) {
    try {
      return await connection.transaction().execute(async (transaction) => {
        await sql.raw(`set local lock_timeout = '${LOCK_TIMEOUT}'`).execute(transaction)
        return work(transaction)
      })
    } catch (error) {
      const { code, message } = error as { code?: string; message: string }
      if (!retryable.has(code)) throw error
      if (tries % 10 === 0) {
        log.warn(
          { reason: message, ...(await findOpenTransactions(connection)) },
          'a migration waited too long for a lock or was in a deadlock; retrying',
        )
      }
      // Without the random factor, retries could coincide with periodic work every time.
      await sleep(Math.min(PAUSE_MS.max, PAUSE_MS.first * 2 ** tries) * (0.5 + Math.random()), undefined, { signal })
    }
  }
}

/**
 * Runs `work` and repeats it after a deadlock. The statements of `work` may wait for locks indefinitely, because writes
 * do not wait behind them.
 */
export async function retryOnDeadlock(
  { connection, signal }: Run,
  work: (connection: Database) => Promise<void>,
): Promise<void> {
  for (;;) {
    try {
      return await work(connection)
    } catch (error) {
      if ((error as { code?: string }).code !== '40P01') throw error
      signal.throwIfAborted()
    }
  }
}

/** Logs the progress of a long step every ten seconds, and cancels its statement when the signal is aborted. */
export async function withProgressLog<Result>(
  { connection, db, log, signal }: Run,
  { migration, what }: Progress,
  work: () => Promise<Result>,
): Promise<Result> {
  const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(connection)
  const { pid } = rows[0]!
  const logProgress = async (): Promise<void> => {
    const indexProgress = await selectIndexProgress(db, pid)
    log.info({ migration, step: what, ...indexProgress, ...(await findOpenTransactions(db)) }, 'a migration is running')
  }
  const timer = setInterval(() => void logProgress().catch(() => {}), LOG_INTERVAL_MS)
  const cancel = (): void => void sql`select pg_cancel_backend(${pid})`.execute(db).catch(() => {})
  signal.addEventListener('abort', cancel)
  try {
    return await work()
  } finally {
    clearInterval(timer)
    signal.removeEventListener('abort', cancel)
  }
}

interface IndexProgress {
  phase: string | null
  percent: number | null
}

async function selectIndexProgress(db: Database, pid: number): Promise<IndexProgress | undefined> {
  const { rows } = await sql<IndexProgress>`
    select phase, round(100.0 * blocks_done / nullif(blocks_total, 0))::float8 as percent
    from pg_stat_progress_create_index where pid = ${pid}`.execute(db)
  return rows[0]
}
