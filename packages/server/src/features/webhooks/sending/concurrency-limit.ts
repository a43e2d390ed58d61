import { ApiError } from '../../../errors.ts'

/** Maximum number of calls per user and server process. */
const MAX_CALLS = 4

const underWay = new Map<string, number>()

/**
 * Limits how many calls to other servers run at the same time for each user while requests wait for them. Otherwise slow
 * receivers could occupy all requests that a server accepts (`MUSTER_MOST_REQUESTS`, `MUSTER_MOST_STANDING`).
 */
export async function withConcurrencyLimit<Result>(accountId: string, run: () => Promise<Result>): Promise<Result> {
  const before = underWay.get(accountId) ?? 0
  if (before >= MAX_CALLS) {
    throw new ApiError('LIMIT_EXCEEDED', `${MAX_CALLS} webhook tests are running: wait until one finishes`)
  }
  underWay.set(accountId, before + 1)
  try {
    return await run()
  } finally {
    const left = underWay.get(accountId)! - 1
    if (left === 0) underWay.delete(accountId)
    else underWay.set(accountId, left)
  }
}
