import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyReply } from 'fastify'
import { ApiError, retryIn } from '../errors.ts'
import { rateLimitHeaders } from './rate-limit-headers.ts'
import type { Payer } from './rate-limits.ts'

/** Throws RATE_LIMITED if too few points are left. */
export function spend(payer: Payer, points: number, reply: FastifyReply): void {
  const { budget, subject } = payer
  const retryAfter = Math.ceil(budget.take(subject, points))
  reply.headers(rateLimitHeaders(payer, retryAfter))
  if (retryAfter > 0) throw rateLimited(payer, points, retryAfter)
}

/**
 * Waits until enough points are available, then takes them. If they exceed the capacity, takes them in several parts.
 */
export async function spendWhenAvailable({ budget, subject }: Payer, points: number): Promise<void> {
  for (let left = points; left > 0; ) {
    const part = Math.min(left, budget.policy.capacity)
    const seconds = budget.take(subject, part)
    if (seconds === 0) left -= part
    else await sleep(Math.ceil(seconds * 1_000), undefined, { ref: false })
  }
}

const payers: Readonly<Record<string, string>> = {
  user: 'this user, with all access keys or sessions together,',
  key: 'this access key, which may use a share of the quota,',
  code: 'this registration code',
  address: 'this address, without valid credentials,',
}

function rateLimited({ budget, subject }: Payer, points: number, retryAfter: number): ApiError {
  const { name, capacity, perSecond } = budget.policy
  const left = budget.left(subject)
  const more = `${points} more ${points === 1 ? 'point' : 'points'}`
  const message =
    name === 'device'
      ? `a device may send ${capacity} messages at once and ${perSecond} per second; ${retryIn(retryAfter)}`
      : `this request costs ${more}, but ${payers[name]} has ${left} of ${capacity} left and regains ${perSecond} per second; ${retryIn(retryAfter)}, or request less`
  return new ApiError('RATE_LIMITED', message, { retryAfter })
}
