import { setTimeout as sleep } from 'node:timers/promises'
import { type Kysely, sql } from 'kysely'
import type { Database } from '../database.ts'
import { type Backfill, type Change, describeStep, type Migration } from '../migration.ts'
import { dropIndex, makeIndex } from './indexes.ts'
import { findProgress, finishMigration, type Progress, saveProgress } from './progress.ts'
import type { Run } from './statements.ts'
import { inShortTransaction, whileTelling } from './statements.ts'

/** Does the steps of a migration that are not done yet. What a kill leaves undone is done again from its beginning, a backfill from its last batch. */
export async function runMigration(run: Run, migration: Migration): Promise<void> {
  const { connection, log, signal } = run
  const { name, steps } = migration
  const found = await findProgress(connection, name)
  for (let step = found?.step ?? 0; step < steps.length; step++) {
    signal.throwIfAborted()
    const what = describeStep(steps[step]!)
    const progress: Progress = { migration: name, step, what, after: found?.step === step ? found.after : null }
    if (steps.length > 1)
      log.info({ migration: name, step: what, of: steps.length }, 'bringing the database to this release')
    await saveProgress(connection, progress)
    await runStep(run, migration, progress)
  }
}

async function runStep(run: Run, migration: Migration, progress: Progress): Promise<void> {
  const { connection } = run
  const step = migration.steps[progress.step]!
  if ('change' in step) return change(run, migration, progress, step)
  if ('backfill' in step) return backfill(run, migration, progress, step)
  await whileTelling(run, progress, () => ('index' in step ? makeIndex(run, step) : dropIndex(run, step.dropIndex)))
  await connection.transaction().execute((transaction) => done(transaction, migration, progress))
}

const change = (run: Run, migration: Migration, progress: Progress, step: Change): Promise<void> =>
  whileTelling(run, progress, () =>
    inShortTransaction(run, async (transaction) => {
      await step.run(untyped(transaction))
      await done(transaction, migration, progress)
    }),
  )

/** A batch holds its rows for about so long. */
const BATCH_MS = 100
const sizes = { first: 200, least: 10, most: 10_000 }

async function backfill(run: Run, migration: Migration, progress: Progress, { batch }: Backfill): Promise<void> {
  let { after } = progress
  let size = sizes.first
  for (;;) {
    run.signal.throwIfAborted()
    const began = performance.now()
    after = await inShortTransaction(run, async (transaction) => {
      // What is put off in GIN indexes is made good by whoever finds too much of it: each batch its own, and nobody else's write all of it.
      await sql`set local gin_pending_list_limit = '64kB'`.execute(transaction)
      const next = await batch(untyped(transaction), { after, size })
      if (next === null) await done(transaction, migration, progress)
      else await saveProgress(transaction, { ...progress, after: next })
      return next
    })
    if (after === null) return
    const took = performance.now() - began
    size = Math.min(sizes.most, Math.max(sizes.least, Math.round(size * Math.min(2, Math.max(0.5, BATCH_MS / took)))))
    // As long again is for everybody else.
    await sleep(took, undefined, { signal: run.signal })
  }
}

/** In the transaction of the step's last change, where it has one. */
async function done(transaction: Database, migration: Migration, progress: Progress): Promise<void> {
  const step = progress.step + 1
  if (step === migration.steps.length) return finishMigration(transaction, migration)
  await sql`update migration_progress set step = ${step}, after = null where migration = ${migration.name}`.execute(
    transaction,
  )
}

/** To a migration the tables are what they were when it was written. */
const untyped = (db: Database): Kysely<unknown> => db as unknown as Kysely<unknown>
