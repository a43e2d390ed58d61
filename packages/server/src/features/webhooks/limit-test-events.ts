import { ApiError } from '../../errors.ts'

/** The maximum number of concurrent tests per account and server process. */
const MAX_TESTS = 4

const inFlight = new Map<string, number>()

/**
 * Runs a test, or throws LIMIT_EXCEEDED if the account is already running `MAX_TESTS` tests in this process. Without
 * this limit, one account's tests of slow receivers could exhaust the limits on requests in flight
 * (`MUSTER_MOST_REQUESTS`, `MUSTER_MOST_STANDING`).
 */
export async function withTestLimit<Result>(accountId: string, run: () => Promise<Result>): Promise<Result> {
  const before = inFlight.get(accountId) ?? 0
  if (before >= MAX_TESTS) {
    const message = `the account is already running ${MAX_TESTS} webhook tests: wait until one finishes`
    throw new ApiError('LIMIT_EXCEEDED', message)
  }
  inFlight.set(accountId, before + 1)
  try {
    return await run()
  } finally {
    const left = inFlight.get(accountId)! - 1
    if (left === 0) inFlight.delete(accountId)
    else inFlight.set(accountId, left)
  }
}
