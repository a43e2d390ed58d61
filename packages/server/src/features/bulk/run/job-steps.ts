import type { FastifyBaseLogger } from 'fastify'
import type { Secrets } from '../../../auth/secrets.ts'
import { type Database, inTransaction } from '../../../db/database.ts'
import { isDatabaseFull, isDatabaseUnavailable, isUniqueViolation } from '../../../db/database-errors.ts'
import { sentTogether } from '../../../db/sent-together.ts'
import { ApiError } from '../../../errors.ts'
import { insideOf } from '../../../restriction.ts'
import { recordEvents } from '../../events/record.ts'
import { type BulkJob, pendingOf, writing } from '../bulk-job.ts'
import {
  type ActiveJob,
  analyzeDevices,
  type BulkJobRow,
  type JobPlace,
  lockJob,
  saveJob,
  takeJob,
  writeJob,
} from '../bulk-jobs.queries.ts'
import { selectJobKey } from '../bulk-secrets.queries.ts'
import { openJobKey } from '../downloads/job-secrets.ts'
import { previewStep } from '../preview/preview.ts'
import { DeviceError } from './device-error.ts'
import { finishEvent } from './job-events.ts'
import { type LookAhead, nextBatch } from './look-ahead.ts'
import { startJob } from './mark-started.ts'
import { batchSize, isUnlimited } from './next-batch.ts'
import { reasonToPause } from './pause-policy.ts'
import { findPending, selectPending, writeResults } from './pending.queries.ts'
import { needsAnalysis } from './planner-statistics.ts'
import { runBatch } from './run-batch.ts'
import { callerToPreview, callerToRun, viewerOfJob } from './starter.ts'
import { isOverQuota, waitForQuota } from './wait-for-quota.ts'

export interface WorkOptions {
  db: Database
  clock: () => Date
  /**
   * A person's membership can come from a group. The server then rejects the person's personal keys after this number
   * of milliseconds without single sign-on. 0 means never.
   */
  staleMs: number
  secrets: Pick<Secrets, 'decrypt'>
  /** Charges the account for the bytes that a step writes. May throw RATE_LIMITED. */
  charge: (accountId: string, bytes: number) => void
  /** If omitted, batches are not read in advance. */
  ahead?: LookAhead
}

/**
 * `idle` means that the job is not due, that its state has changed, or that another process is working on it. In the
 * worker, `idle` can also mean that the step failed. `failed` means that the step recorded the failure of a device.
 */
export type WorkResult = 'idle' | 'worked' | 'failed'

/**
 * Runs the next step of the job: a preview step or a batch. Does nothing if the job is not due. In an outage, throws
 * the error. If a quota is exceeded, the job waits. Any other ApiError during a preview sets the job to FAILED, and a
 * DeviceError sets its device to FAILED. After several failures, the worker passes `singly`. Any other error then sets
 * the previewing job or the next device of the running job to FAILED.
 */
export async function workOn(
  options: WorkOptions,
  job: Pick<ActiveJob, 'accountId' | 'id' | 'state'>,
  { singly = false } = {},
): Promise<WorkResult> {
  const { accountId, id, state } = job
  const next = singly && state === 'RUNNING' ? await findPending(options.db, { accountId, jobId: id }) : undefined
  try {
    if (state === 'RUNNING') return await runNext(options, job, next)
    return await whileLocked(options, job, 'PREVIEWING', (db, previewing) =>
      continuePreview(db, accountId, { ...options, job: previewing }),
    )
  } catch (error) {
    if (isOutage(error)) throw error
    if (isOverQuota(error)) return waitForQuota(options, job, error)
    if (error instanceof DeviceError) return failDevice(options, job, error)
    if (state === 'PREVIEWING' && (singly || error instanceof ApiError)) return failPreview(options, job, error)
    if (next === undefined) throw error
    return failDevice(
      options,
      job,
      new DeviceError(next, new ApiError('INTERNAL', 'the server failed to change the device: see the server log')),
    )
  }
}

/** Checks whether the database is unavailable or full. In an outage, the job waits, and none of its devices fails. */
export const isOutage = (error: unknown): boolean => isDatabaseUnavailable(error) || isDatabaseFull(error)

async function whileLocked(
  { db }: WorkOptions,
  { accountId, id }: JobPlace,
  state: BulkJob['state'],
  step: (transaction: Database, job: BulkJobRow) => Promise<unknown>,
): Promise<WorkResult> {
  return db.transaction().execute(async (transaction) => {
    const job = await takeJob(transaction, accountId, id)
    if (job?.state !== state) return 'idle'
    await step(transaction, job)
    return 'worked'
  })
}

/** The maximum number of steps of a preview within a request. The bulk worker runs any further steps. */
const REQUEST_STEPS = 10

/**
 * Each step is a transaction, so that no long transaction delays the event feed. In a request with an Idempotency-Key,
 * all steps are in one transaction, so their number is limited. An error other than an exceeded quota then rolls back
 * the job. In any other request, the job has been committed. This function then throws no error, because a caller who
 * received the error would not learn the job's ID. The bulk worker continues the preview.
 */
export async function finishPreview(
  { log, ...options }: Omit<WorkOptions, 'secrets'> & { log: FastifyBaseLogger },
  accountId: string,
  begun: BulkJobRow,
): Promise<BulkJobRow> {
  const place = { accountId, id: begun.id }
  let job = begun
  try {
    for (let step = 0; step < REQUEST_STEPS && job.state === 'PREVIEWING'; step++)
      job = await inTransaction(options.db, async (transaction) => {
        const locked = await lockJob(transaction, accountId, job.id)
        if (locked?.state !== 'PREVIEWING') return locked ?? job
        return continuePreview(transaction, accountId, { ...options, job: locked })
      })
  } catch (error) {
    if (isOverQuota(error)) await waitForQuota(options, place, error)
    else if (options.db.isTransaction) throw error
    else
      log.warn(
        { err: error, job: begun.id },
        'a request could not finish the preview of a bulk job; the bulk worker continues the preview',
      )
  }
  return job
}

async function continuePreview(
  db: Database,
  accountId: string,
  { job, clock, staleMs, charge }: Omit<WorkOptions, 'db' | 'secrets'> & { job: BulkJobRow },
): Promise<BulkJobRow> {
  const caller = await callerToPreview(db, accountId, { job, now: clock(), staleMs })
  const chargeAccount = (bytes: number): void => charge(accountId, bytes)
  const previewed = await previewStep(db, accountId, { job, caller, charge: chargeAccount })
  if (previewed.state !== 'READY' || previewed.expected === null) return previewed
  return startIfExpected(db, accountId, { job: previewed, now: clock(), staleMs })
}

async function startIfExpected(
  db: Database,
  accountId: string,
  { job, now, staleMs }: { job: BulkJobRow; now: Date; staleMs: number },
): Promise<BulkJobRow> {
  const { reason: reasonNotToRun } = await callerToRun(db, accountId, { job, now, staleMs })
  const reason = reasonNotToRun ?? reasonNotExpected(job)
  if (reason !== undefined) return saveJob(db, accountId, job, { reason, expected: null })
  return startJob(db, viewerOfJob(accountId, job), { job, now, starter: job.starter!, source: job.createdBy })
}

function reasonNotExpected(job: BulkJob): string | undefined {
  const { expected, rejected } = job
  const changing = writing(job)
  if (expected === null || (changing === expected && rejected === 0)) return undefined
  return `the number of devices that would change is ${changing} (expected ${expected}), and the number of rejected devices is ${rejected} (expected 0)`
}

const failPreview = (options: WorkOptions, place: JobPlace, error: unknown): Promise<WorkResult> =>
  whileLocked(options, place, 'PREVIEWING', async (db) => {
    const reason =
      error instanceof ApiError ? error.message : 'the server failed to read the devices: see the server log'
    await writeJob(db, place.accountId, place.id, { state: 'FAILED', reason, finished: options.clock() })
  })

/** If another device took a hardware ID after the batch was read, runs the batch again, which finds the conflict. */
async function runNext(options: WorkOptions, place: JobPlace, next: string | undefined): Promise<WorkResult> {
  try {
    return await runOnce(options, place, next)
  } catch (error) {
    if (!isUniqueViolation(error, 'device_hardware_id')) throw error
    return runOnce(options, place, next)
  }
}

async function runOnce(options: WorkOptions, place: JobPlace, next: string | undefined): Promise<WorkResult> {
  try {
    return await runLocked(options, place, next)
  } catch (error) {
    // The batch that was read in advance begins after the devices of the failed batch, which are still pending.
    options.ahead?.forget(place.id)
    throw error
  }
}

async function runLocked(options: WorkOptions, place: JobPlace, next: string | undefined): Promise<WorkResult> {
  let needsStatistics = false
  const read = await options.ahead?.take(place.id)
  const result = await whileLocked(options, place, 'RUNNING', async (db, job) => {
    const { accountId, id } = place
    const now = options.clock()
    const { caller, reason } = await callerToRun(db, accountId, { job, now, staleMs: options.staleMs })
    if (caller === undefined) return writeJob(db, accountId, id, { state: 'PAUSED', reason })
    const batch = await runBatch(db, accountId, {
      job,
      caller,
      next: await nextBatch(db, place, { job, read, only: next, inside: insideOf(caller), ahead: options.ahead }),
      charge: (bytes) => options.charge(accountId, bytes),
      secrets: job.hasSecrets ? await secretsOf(options, db, place) : undefined,
    })
    const done = batch.results.filter(({ status }) => status === 'DONE').length
    const progress = { ...job, done: job.done + done, skipped: job.skipped + batch.results.length - done }
    const count = batch.results.length
    const isLast = next === undefined && count === 0
    const [, recordFinish] = await sentTogether([
      batch.written,
      saveProgress(db, accountId, { job: progress, now, count, isLast }),
      batch.recordEvents(),
    ])
    await recordFinish()
    needsStatistics = job.registering > 0 && needsAnalysis(job.done, progress.done)
  })
  // The next batches run while the statistics are updated. If the update fails, batches are slower until the next
  // update.
  if (needsStatistics) analyzeDevices(options.db).catch(() => {})
  return result
}

async function secretsOf({ secrets }: WorkOptions, db: Database, { accountId, id }: JobPlace) {
  const key = await selectJobKey(db, { accountId, id })
  return key === null ? undefined : openJobKey(secrets, { accountId, jobId: id }, key)
}

/** Records that a device failed, if its item is still pending. The next batch changes the remaining devices. */
async function failDevice(
  options: WorkOptions,
  place: JobPlace,
  { deviceId, cause }: DeviceError,
): Promise<WorkResult> {
  const { accountId, id: jobId } = place
  let hasFailed = false
  const result = await whileLocked(options, place, 'RUNNING', async (db, job) => {
    const now = options.clock()
    const [pending] = await selectPending(db, { accountId, jobId }, { size: batchSize(job), ids: [deviceId] })
    if (pending === undefined) return
    hasFailed = true
    const failure = { id: deviceId, status: 'FAILED' as const, code: cause.code, message: cause.message }
    await writeResults(db, { accountId, jobId }, [failure])
    const progress = { ...job, failed: job.failed + 1 }
    const recordFinish = await saveProgress(db, accountId, { job: progress, now, count: 1, hasFailed })
    await recordFinish()
  })
  return hasFailed ? 'failed' : result
}

interface Progress {
  job: BulkJobRow
  now: Date
  count: number
  hasFailed?: boolean
  isLast?: boolean
}

/**
 * Saves the job's progress. Ends the job after its last device, and pauses the job if too many devices have failed.
 * Returns a function that records the event of the job's end, or does nothing if the job has not ended.
 */
async function saveProgress(
  db: Database,
  accountId: string,
  { job, now, count, hasFailed = false, isLast = false }: Progress,
): Promise<() => Promise<void>> {
  const { id, done, failed, skipped, rate } = job
  const isDone = isLast || pendingOf(job) === 0
  const reason = hasFailed && !isDone ? reasonToPause(job) : null
  const state = isDone ? 'DONE' : reason === null ? 'RUNNING' : 'PAUSED'
  const pauseMs = isUnlimited(job) ? 0 : (1000 * count) / rate
  const finished = isDone ? now : null
  await writeJob(db, accountId, id, { done, failed, skipped, state, reason, finished, pauseMs })
  return async () => {
    if (isDone)
      await recordEvents(db, { viewer: viewerOfJob(accountId, job) }, [finishEvent({ ...job, state, finished }, now)])
  }
}
