import type { BulkJobRow } from '../bulk-jobs.queries.ts'

type Counts = Pick<BulkJobRow, 'maxFailures' | 'done' | 'failed' | 'skipped' | 'tolerated'>

/** Without `maxFailures`, a job pauses when its failures exceed both this number and 10% of its completed devices. */
const DEFAULT_FAILURES = 100

/**
 * Returns null if the number of failures does not exceed the limit. Does not count the `tolerated` failures, which
 * occurred before the job was last resumed.
 */
export function reasonToPause({ maxFailures, done, failed, skipped, tolerated }: Counts): string | null {
  const failures = failed - tolerated
  const limit = maxFailures ?? Math.max(DEFAULT_FAILURES, Math.floor((done + failed + skipped) / 10))
  return failures > limit
    ? `the number of devices that failed since the job was started or last resumed is ${failures}, but the limit is ${limit}`
    : null
}
