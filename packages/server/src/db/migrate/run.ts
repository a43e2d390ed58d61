import { setTimeout as sleep } from 'node:timers/promises'
import { type Kysely, sql } from 'kysely'
import type { Database } from '../database.ts'
import { type Backfill, type Change, describeStep, type Migration } from '../migration.ts'
import { createIndex, dropIndex } from './indexes.ts'
import { findProgress, finishMigration, type Progress, saveProgress } from './progress.ts'
import { inShortTransaction, type Run, withProgressLog } from './retry-statements.ts'

/** Runs the remaining steps. An interrupted step starts over, but a backfill continues after its last batch. */
export async function runMigration(run: Run, migration: Migration): Promise<void> {
  const { connection, log, signal } = run
  const { name, steps } = migration
  const found = await findProgress(connection, name)
  for (let step = found?.step ?? 0; step < steps.length; step++) {
    signal.throwIfAborted()
    const what = describeStep(steps[step]!)
    const progress: Progress = { migration: name, step, what, after: found?.step === step ? found.after : null }
    if (steps.length > 1)
      log.info(
        { migration: name, step: what, number: step + 1, steps: steps.length },
        'migrating the database to this release',
      )
    await saveProgress(connection, progress)
    await runStep(run, migration, progress)
  }
}

async function runStep(run: Run, migration: Migration, progress: Progress): Promise<void> {
  const { connection } = run
  const step = migration.steps[progress.step]!
  if ('change' in step) return change(run, migration, progress, step)
  if ('backfill' in step) return backfill(run, migration, progress, step)
  await withProgressLog(run, progress, () =>
    'index' in step ? createIndex(run, step) : dropIndex(run, step.dropIndex),
  )
  await connection.transaction().execute((transaction) => finishStep(transaction, migration, progress))
}

const change = (run: Run, migration: Migration, progress: Progress, step: Change): Promise<void> =>
  withProgressLog(run, progress, () =>
    inShortTransaction(run, async (transaction) => {
      await step.run(untyped(transaction))
      await finishStep(transaction, migration, progress)
    }),
  )

/** Approximately how long a batch may lock its rows, in milliseconds. */
const TARGET_BATCH_MS = 100
const sizes = { first: 200, min: 10, max: 10_000 }

async function backfill(run: Run, migration: Migration, progress: Progress, { batch }: Backfill): Promise<void> {
  let { after } = progress
  let size = sizes.first
  for (;;) {
    run.signal.throwIfAborted()
    const startedAt = performance.now()
    after = await inShortTransaction(run, async (transaction) => {
      // With a low limit, each batch merges its own pending GIN entries. Otherwise, writes in other sessions could have
      // to merge them.
      await sql`set local gin_pending_list_limit = '64kB'`.execute(transaction)
      const next = await batch(untyped(transaction), { after, size })
      if (next === null) await finishStep(transaction, migration, progress)
      else await saveProgress(transaction, { ...progress, after: next })
      return next
    })
    if (after === null) return
    const duration = performance.now() - startedAt
    size = Math.min(
      sizes.max,
      Math.max(sizes.min, Math.round(size * Math.min(2, Math.max(0.5, TARGET_BATCH_MS / duration)))),
    )
    // The pause is as long as the batch, which leaves half of the time to other statements.
    await sleep(duration, undefined, { signal: run.signal })
  }
}

/** Records that a step is complete. For a change or a backfill, `transaction` must be the step's last transaction. */
async function finishStep(transaction: Database, migration: Migration, progress: Progress): Promise<void> {
  const step = progress.step + 1
  if (step === migration.steps.length) return finishMigration(transaction, migration)
  await sql`update migration_progress set step = ${step}, after = null where migration = ${migration.name}`.execute(
    transaction,
  )
}

/** The table types describe the current tables, but a migration uses the tables as they were when it was written. */
const untyped = (db: Database): Kysely<unknown> => db as unknown as Kysely<unknown>
