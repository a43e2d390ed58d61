import { NotFoundError } from '../errors.ts'
import type { RunQuery } from '../lists/list-of.ts'
import { pause } from '../retry-delay.ts'
import type { BulkCounts, BulkState } from '../schema/types.generated.ts'
import type { CallOptions } from '../types.ts'

export interface BulkProgress {
  id: string
  state: BulkState
  /** Why the job is paused, is waiting, has failed, or was not started. Null in other cases. */
  stateReason: string | null
  /** The progress of the preview or the run, from 0 to 1. */
  progress: number
  /**
   * Identifies the preview in `startBulk`. Null until the preview is complete, and after the job starts or is canceled.
   */
  token: string | null
  counts: BulkCounts
}

export interface FollowBulkOptions extends Pick<CallOptions, 'signal' | 'timeout' | 'retries'> {
  /** Milliseconds between a response and the next request. Default: 1,000. */
  interval?: number | undefined
}

const selection = {
  id: true,
  state: true,
  stateReason: true,
  progress: true,
  token: true,
  counts: {
    ...{ total: true, change: true, unchanged: true, rejected: true, register: true },
    ...{ pending: true, done: true, failed: true, skipped: true },
  },
}

/**
 * Polls the job. Yields the first response, and each response that differs from the previous one. Ends when the job is
 * neither previewing nor running. Throws NotFoundError if the job does not exist.
 */
export async function* followBulkJob(
  run: RunQuery,
  id: string,
  { interval = 1_000, ...options }: FollowBulkOptions,
): AsyncGenerator<BulkProgress, void, undefined> {
  let last = ''
  for (;;) {
    const { login } = await run({ login: { bulkJob: { $: { id: [id] }, ...selection } } }, options)
    const [job] = (login as { bulkJob: BulkProgress[] }).bulkJob
    if (job === undefined) throw new NotFoundError('NOT_FOUND', `no bulk job has the ID ${JSON.stringify(id)}`)
    const text = JSON.stringify(job)
    if (text !== last) yield job
    last = text
    if (job.state !== 'PREVIEWING' && job.state !== 'RUNNING') return
    await pause(interval, options.signal)
  }
}
