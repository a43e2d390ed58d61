import { ApiError } from '../../../errors.ts'

/** The maximum number of concurrent calls per user and server process. */
const MAX_CALLS = 4

const underWay = new Map<string, number>()

/**
 * Limits the concurrent calls to other servers that each user's requests wait for. Without this limit, slow receivers
 * could occupy all requests that the server accepts (`MUSTER_MOST_REQUESTS`, `MUSTER_MOST_STANDING`).
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
