import { ApiError } from '../../../errors.ts'

/** Of each user, in each server process. */
const MOST = 4

const underWay = new Map<string, number>()

/**
 * Runs what waits for somebody else's server while a request waits for it: only so much of it at a time for each user, or receivers that
 * take their time could hold all requests that a server takes (`MUSTER_MOST_REQUESTS`, `MUSTER_MOST_STANDING`).
 */
export async function fewAtOnce<Result>(accountId: string, run: () => Promise<Result>): Promise<Result> {
  const before = underWay.get(accountId) ?? 0
  if (before >= MOST) {
    throw new ApiError('LIMIT_EXCEEDED', `${MOST} tests of webhooks are under way: wait until one of them has ended`)
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
