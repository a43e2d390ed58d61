import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { AddressOf } from '../lib/client-address.ts'
import { payerAt, type RateLimits } from './rate-limits.ts'
import { leftFields } from './spend.ts'

/**
 * Where nobody was charged, an answer of the API tells what the address has left: one that was shed, or found nothing, or too much.
 * Returns what tells it where hooks do not run.
 */
export function tellEveryAnswer(
  app: FastifyInstance,
  limits: RateLimits,
  addressOf: AddressOf,
): (request: FastifyRequest) => Record<string, string> {
  const leftTo = ({ url, raw }: FastifyRequest): Record<string, string> =>
    isOfApi(url) ? leftFields(payerAt(limits, addressOf(raw))) : {}
  app.addHook('onSend', (request, reply, payload, done) => {
    if (!reply.hasHeader('ratelimit')) reply.headers(leftTo(request))
    done(null, payload)
  })
  return leftTo
}

const isOfApi = (url: string): boolean => /^\/(graphql|rest|devices|auth)\//.test(url)
