import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyReply } from 'fastify'
import { ApiError } from '../errors.ts'
import type { Payer } from './rate-limits.ts'

/** Takes points and tells what is left with the answer; throws RATE_LIMITED where they are not there. */
export function spend(payer: Payer, points: number, reply: FastifyReply): void {
  const { budget, subject } = payer
  const retryAfter = Math.ceil(budget.take(subject, points))
  reply.headers(leftFields(payer, retryAfter))
  if (retryAfter > 0) throw rateLimited(payer, points, retryAfter)
}

/** Takes points, as soon as they are there. */
export async function spendInTime({ budget, subject }: Payer, points: number): Promise<void> {
  for (;;) {
    const seconds = budget.take(subject, points)
    if (seconds === 0) return
    await sleep(Math.ceil(seconds * 1_000), undefined, { ref: false })
  }
}

/**
 * The fields of draft-ietf-httpapi-ratelimit-headers-11. `w` is how long an empty budget takes to be full; `t` is one second, the
 * least there is, since points come back all the time; or as long as it takes until there are any; or, with Retry-After, as long as that (§6).
 */
export const leftFields = ({ budget, subject }: Payer, retryAfter = 0): Record<string, string> => ({
  'ratelimit-policy': budget.policyField,
  ratelimit: `"${budget.policy.name}";r=${budget.left(subject)};t=${Math.max(1, retryAfter, budget.due(subject))}`,
})

const payers: Readonly<Record<string, string>> = {
  user: 'this user, with all access keys and sessions together,',
  code: 'this registration code',
  address: 'this address, without credentials that hold,',
}

function rateLimited({ budget, subject }: Payer, points: number, retryAfter: number): ApiError {
  const { name, most, perSecond } = budget.policy
  const left = budget.left(subject)
  const again = `come back in ${retryAfter} ${retryAfter === 1 ? 'second' : 'seconds'}`
  const message =
    name === 'device'
      ? `a device may send ${most} messages at once and ${perSecond} a second: ${again}`
      : `this takes ${points} points more and ${payers[name]} has ${left} left of ${most}, gaining ${perSecond} a second: ${again}, or ask for less`
  return new ApiError('RATE_LIMITED', message, { retryAfter })
}
