import type { BulkJob } from '../bulk-job.ts'

type Counts = Pick<BulkJob, 'maxFailures' | 'done' | 'failed' | 'skipped'>

/** Without `maxFailures`, a job pauses when its failures exceed both this number and 10% of its completed devices. */
const DEFAULT_FAILURES = 100

const failureLimit = ({ maxFailures, done, failed, skipped }: Counts): number =>
  maxFailures ?? Math.max(DEFAULT_FAILURES, Math.floor((done + failed + skipped) / 10))

/**
 * Returns why a job with too many failures must pause, or null if it need not pause. Does not count the `tolerated`
 * failures, which occurred before the job was last resumed.
 */
export function reasonToPause(job: Counts & { tolerated: number }): string | null {
  const failures = job.failed - job.tolerated
  const limit = failureLimit(job)
  return failures > limit ? `the number of failed devices is ${failures}, but the limit is ${limit}` : null
}
