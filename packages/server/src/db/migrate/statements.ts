import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Database } from '../database.ts'
import type { MigrationLog } from './log.ts'
import { TELL_EVERY_MS } from './log.ts'
import { findOpenTransactions } from './open-transactions.ts'
import type { Progress } from './progress.ts'

export interface Run {
  /** A single one, which holds the lock. */
  connection: Database
  /** To look at it from the side. */
  db: Database
  log: MigrationLog
  signal: AbortSignal
}

/** Everybody who comes for a table after it waits behind a statement that waits for the table: so much shorter than 5 s. */
const LOCK_TIMEOUT = '1s'
const PAUSE_MS = { first: 100, most: 5_000 }

/** A lock that did not come in time, and a deadlock. */
const passing: ReadonlySet<unknown> = new Set(['55P03', '40P01'])

/** One transaction, again until it got its locks in time; those who waited behind it go on in between. */
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
      if (!passing.has(code)) throw error
      if (tries % 10 === 0) {
        log.warn(
          { reason: message, ...(await findOpenTransactions(connection)) },
          'a migration did not get its lock; trying again',
        )
      }
      // Not in step with what happens at regular times.
      await sleep(Math.min(PAUSE_MS.most, PAUSE_MS.first * 2 ** tries) * (0.5 + Math.random()), undefined, { signal })
    }
  }
}

/** Statements outside of a transaction. They wait for their locks as long as it takes: nobody who writes waits behind them. */
export async function againAfterDeadlock(
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

/** Tells every ten seconds how a step that takes long is getting on, and ends its statement when the signal comes. */
export async function whileTelling<Result>(
  { connection, db, log, signal }: Run,
  { migration, what }: Progress,
  work: () => Promise<Result>,
): Promise<Result> {
  const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(connection)
  const { pid } = rows[0]!
  const tell = async (): Promise<void> => {
    const doing = await selectDoing(db, pid)
    log.info({ migration, step: what, ...doing, ...(await findOpenTransactions(db)) }, 'a migration is at work')
  }
  const timer = setInterval(() => void tell().catch(() => {}), TELL_EVERY_MS)
  const cancel = (): void => void sql`select pg_cancel_backend(${pid})`.execute(db).catch(() => {})
  signal.addEventListener('abort', cancel)
  try {
    return await work()
  } finally {
    clearInterval(timer)
    signal.removeEventListener('abort', cancel)
  }
}

interface Doing {
  phase: string | null
  percent: number | null
}

async function selectDoing(db: Database, pid: number): Promise<Doing | undefined> {
  const { rows } = await sql<Doing>`
    select phase, round(100.0 * blocks_done / nullif(blocks_total, 0))::float8 as percent
    from pg_stat_progress_create_index where pid = ${pid}`.execute(db)
  return rows[0]
}
