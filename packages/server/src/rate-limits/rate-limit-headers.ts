import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { AddressOf } from '../lib/client-address.ts'
import { type Payer, payerOfAddress, type RateLimits } from './rate-limits.ts'

/**
 * Returns the headers that draft-ietf-httpapi-ratelimit-headers-11 defines. `w` is the number of seconds until an empty
 * quota is full again. `t` is the number of seconds, at least 1, to wait before the next request (§6).
 */
export const rateLimitHeaders = ({ budget, subject }: Payer, retryAfter = 0): Record<string, string> => ({
  'ratelimit-policy': budget.policyField,
  ratelimit: `"${budget.policy.name}";r=${budget.left(subject)};t=${Math.max(1, retryAfter, budget.due(subject))}`,
})

/**
 * Adds the address's remaining quota to responses to API requests that were not charged. Examples are requests that
 * were rejected by load shedding, had an unknown path, or were too large. The returned function creates these headers
 * for responses that bypass hooks.
 */
export function addRateLimitHeaders(
  app: FastifyInstance,
  limits: RateLimits,
  addressOf: AddressOf,
): (request: FastifyRequest) => Record<string, string> {
  const headersFor = ({ url, raw }: FastifyRequest): Record<string, string> =>
    isApi(url) ? rateLimitHeaders(payerOfAddress(limits, addressOf(raw))) : {}
  app.addHook('onSend', (request, reply, payload, done) => {
    if (!reply.hasHeader('ratelimit')) reply.headers(headersFor(request))
    done(null, payload)
  })
  return headersFor
}

const isApi = (url: string): boolean => /^\/(graphql|rest|devices|auth)\//.test(url)
