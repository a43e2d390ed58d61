import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { AddressOf } from '../lib/client-address.ts'
import { payerOfAddress, type RateLimits } from './rate-limits.ts'
import { rateLimitHeaders } from './spend.ts'

/**
 * Reports the remaining points of the address in responses to requests that were not charged: those that were shed, not
 * found, or too large. Returns the same headers for places where hooks do not run.
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
