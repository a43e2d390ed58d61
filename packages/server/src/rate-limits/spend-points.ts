import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyReply } from 'fastify'
import { ApiError, retryIn } from '../errors.ts'
import { REQUEST_POINTS } from './point-prices.ts'
import { rateLimitHeaders } from './rate-limit-headers.ts'
import type { Payer } from './rate-limits.ts'

/**
 * Takes points and sets the rate-limit headers of the response. Throws RATE_LIMITED if too few points are left. `isMore`
 * is true if the request has already been charged: later charges depend on the data that the request asks for.
 */
export function spend(payer: Payer, points: number, reply: FastifyReply, isMore = false): void {
  const { budget, subject } = payer
  const retryAfter = Math.ceil(budget.take(subject, points))
  reply.headers(rateLimitHeaders(payer, retryAfter))
  if (retryAfter > 0) throw rateLimited(payer, { points, isMore }, retryAfter)
}

/** Waits for the points and takes them. If the points exceed the capacity, takes them in several parts. */
export async function spendWhenAvailable({ budget, subject }: Payer, points: number): Promise<void> {
  for (let left = points; left > 0; ) {
    const part = Math.min(left, budget.policy.capacity)
    const seconds = budget.take(subject, part)
    if (seconds === 0) left -= part
    else await sleep(Math.ceil(seconds * 1_000), undefined, { ref: false })
  }
}

const payers: Readonly<Record<string, string>> = {
  user: 'this user, whose access keys or sessions share a quota,',
  key: 'this access key, which may use only a share of the quota,',
  code: 'this registration code',
  address: 'this address, which is charged for requests without valid credentials,',
}

function rateLimited(
  { budget, subject }: Payer,
  { points, isMore }: { points: number; isMore: boolean },
  retryAfter: number,
): ApiError {
  const { name, capacity, perSecond } = budget.policy
  const left = budget.left(subject)
  const cost = `${points}${isMore ? ' more' : ''} ${points === 1 ? 'point' : 'points'}`
  const advice = isMore || points > REQUEST_POINTS ? ', or request less data' : ''
  const message =
    name === 'device'
      ? `a device may send a burst of ${capacity} messages, and then ${perSecond} per second; ${retryIn(retryAfter)}`
      : `this request costs ${cost}, but ${payers[name]} has ${left} of ${capacity} points left and regains ${perSecond} per second; ${retryIn(retryAfter)}${advice}`
  return new ApiError('RATE_LIMITED', message, { retryAfter })
}
