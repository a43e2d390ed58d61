import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { AddressOf } from '../lib/client-address.ts'
import { payerOfAddress, type RateLimits } from './rate-limits.ts'
import { rateLimitHeaders } from './spend.ts'

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
