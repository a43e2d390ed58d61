import type { Database } from '../../db/database.ts'
import { ApiError } from '../../errors.ts'
import { lockPending, writeResults } from './bulk-items.queries.ts'
import { type BulkJob, failureLimit, pendingOf } from './bulk-job.ts'
import { type BulkJobRow, type DueJob, takeJob, writeJob } from './bulk-jobs.queries.ts'
import { recordFinish } from './job-events.ts'
import { previewStep } from './preview.ts'
import { DeviceError, runBatch } from './run-batch.ts'
import { startJob } from './start-job.ts'
import { reasonNotToRun, viewerOfJob } from './starter.ts'

/** Devices of one batch, which is one transaction. */
const BATCH = 100

export interface WorkOptions {
  db: Database
  clock: () => Date
}

/**
 * Works on a job: the next devices of its preview, or the next batch of its run. Another process may be working on it. With
 * `singly`, after several failures, an error fails only the preview or the next device, so that the job goes on.
 */
export async function workOn({ db, clock }: WorkOptions, due: DueJob, { singly = false } = {}): Promise<void> {
  try {
    if (due.state === 'PREVIEWING') await continuePreview({ db, clock }, due)
    else await runNext({ db, clock }, due, { limit: singly ? 1 : BATCH })
  } catch (error) {
    if (error instanceof DeviceError) return failDevice({ db, clock }, due, error)
    if (due.state === 'PREVIEWING' && (singly || error instanceof ApiError)) {
      const reason = error instanceof ApiError ? error.message : 'the server failed to read the devices'
      return writeJob(db, due.accountId, due.id, { state: 'FAILED', reason, finished: clock() })
    }
    const next = singly ? await findNext(db, due) : undefined
    if (next === undefined) throw error
    await failDevice({ db, clock }, due, new DeviceError(next, new ApiError('INTERNAL', 'the server failed')))
  }
}

/** Returns the next device of a run. */
const findNext = async (db: Database, { accountId, id }: DueJob): Promise<string | undefined> =>
  (await lockPending(db, { accountId, jobId: id }, { limit: 1 }))[0]?.id

async function continuePreview({ db, clock }: WorkOptions, { accountId, id }: DueJob): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    const now = clock()
    const job = await takeJob(transaction, accountId, { id, now })
    if (job?.state !== 'PREVIEWING') return
    const previewed = await previewStep(transaction, accountId, job)
    if (previewed.state === 'READY' && previewed.expected !== null)
      await startIfExpected(transaction, accountId, { job: previewed, now })
  })
}

/** Starts a job that was created with runBulk, or records why it is not started. */
async function startIfExpected(
  db: Database,
  accountId: string,
  { job, now }: { job: BulkJobRow; now: Date },
): Promise<void> {
  const reason = (await reasonNotToRun(db, accountId, { job, now })) ?? reasonNotExpected(job)
  if (reason !== undefined) return writeJob(db, accountId, job.id, { reason, expected: null })
  const { job: _job, ...viewer } = viewerOfJob(accountId, job)
  await startJob(db, viewer, { job, now, starter: job.starter!, source: job.createdBy })
}

/** Returns how a preview differs from the expectation of runBulk, if it does. */
export function reasonNotExpected({ expected, changing, rejected }: BulkJob): string | undefined {
  if (expected === null || (changing === expected && rejected === 0)) return undefined
  return `${changing} devices would change, and ${rejected} would be rejected; expected ${expected} and 0`
}

async function runNext(
  { db, clock }: WorkOptions,
  { accountId, id }: DueJob,
  { limit }: { limit: number },
): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    const now = clock()
    const job = await takeJob(transaction, accountId, { id, now })
    if (job?.state !== 'RUNNING') return
    const reason = await reasonNotToRun(transaction, accountId, { job, now })
    if (reason !== undefined) return writeJob(transaction, accountId, id, { state: 'PAUSED', reason })
    const size = Math.min(limit, Math.max(1, job.rate))
    const results = await runBatch(transaction, accountId, { job, limit: size })
    const done = results.filter(({ status }) => status === 'DONE').length
    await saveProgress(transaction, accountId, {
      job: { ...job, done: job.done + done, skipped: job.skipped + results.length - done },
      now,
      count: results.length,
    })
  })
}

/** Records that a device failed. The next batch changes the other devices of its batch. */
async function failDevice(
  { db, clock }: WorkOptions,
  { accountId, id }: DueJob,
  { deviceId, cause }: DeviceError,
): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    const now = clock()
    const job = await takeJob(transaction, accountId, { id, now })
    if (job?.state !== 'RUNNING') return
    const results = [{ id: deviceId, status: 'FAILED' as const, code: cause.code, message: cause.message }]
    await writeResults(transaction, { accountId, jobId: id }, { results, sinceEvent: '9223372036854775807' })
    await saveProgress(transaction, accountId, { job: { ...job, failed: job.failed + 1 }, now, count: 1 })
  })
}

/** Saves the counts, and when the next batch is due. Ends the job after its last device, and pauses it after many failures. */
async function saveProgress(
  db: Database,
  accountId: string,
  { job, now, count }: { job: BulkJobRow; now: Date; count: number },
): Promise<void> {
  const { id, done, failed, skipped, rate } = job
  const isDone = pendingOf(job) === 0 || count === 0
  const isFailing = !isDone && failed > failureLimit(job)
  const state = isDone ? 'DONE' : isFailing ? 'PAUSED' : 'RUNNING'
  const reason = isFailing ? `${failed} devices failed, more than ${failureLimit(job)}` : null
  const pace = rate >= UNLIMITED_RATE ? 0 : (1000 * count) / rate
  const finished = isDone ? now : null
  const nextBatch = new Date(now.getTime() + pace)
  await writeJob(db, accountId, id, { done, failed, skipped, state, reason, finished, nextBatch })
  if (isDone) await recordFinish(db, viewerOfJob(accountId, job), { job: { ...job, state, finished }, now })
}

/** A job with this rate waits only while requests wait. */
const UNLIMITED_RATE = 10_000
