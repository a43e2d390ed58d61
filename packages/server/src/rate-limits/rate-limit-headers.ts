import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { AddressOf } from '../lib/client-address.ts'
import { type Payer, payerOfAddress, type RateLimits } from './rate-limits.ts'

/**
 * Returns the headers of draft-ietf-httpapi-ratelimit-headers-11. `w` is the time that an empty budget needs to refill.
 * `t` is the time to wait if the balance is negative or the response includes Retry-After (§6). Otherwise, `t` is 1,
 * the minimum, because points are refilled continuously.
 */
export const rateLimitHeaders = ({ budget, subject }: Payer, retryAfter = 0): Record<string, string> => ({
  'ratelimit-policy': budget.policyField,
  ratelimit: `"${budget.policy.name}";r=${budget.left(subject)};t=${Math.max(1, retryAfter, budget.due(subject))}`,
})

/**
 * Adds the address's remaining points to responses of requests that were not charged, because they were shed, had an
 * unknown path, or were too large. Returns a function that creates these headers for responses that bypass hooks.
 */
export function addRateLimitHeaders(
  app: FastifyInstance,
  limits: RateLimits,
  addressOf: AddressOf,
): (request: FastifyRequest) => Record<string, string> {
  const headersFor = ({ url, raw }: FastifyRequest): Record<string, string> =>
    isOfApi(url) ? rateLimitHeaders(payerOfAddress(limits, addressOf(raw))) : {}
  app.addHook('onSend', (request, reply, payload, done) => {
    if (!reply.hasHeader('ratelimit')) reply.headers(headersFor(request))
    done(null, payload)
  })
  return headersFor
}

const isOfApi = (url: string): boolean => /^\/(graphql|rest|devices|auth)\//.test(url)
