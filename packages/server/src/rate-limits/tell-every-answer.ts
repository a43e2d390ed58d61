import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { AddressOf } from '../http/client-address.ts'
import { payerAt, type RateLimits } from './rate-limits.ts'
import { tellLeft } from './spend.ts'

/**
 * Where nobody was charged, an answer of the API tells what the address has left: one that was shed, or found nothing, or too much.
 * Returns what tells it where hooks do not run.
 */
export function tellEveryAnswer(
  app: FastifyInstance,
  limits: RateLimits,
  addressOf: AddressOf,
): (request: FastifyRequest, reply: FastifyReply) => void {
  const tell = (request: FastifyRequest, reply: FastifyReply): void => {
    if (!reply.hasHeader('ratelimit') && isOfApi(request.url)) tellLeft(payerAt(limits, addressOf(request.raw)), reply)
  }
  app.addHook('onSend', (request, reply, payload, done) => {
    tell(request, reply)
    done(null, payload)
  })
  return tell
}

const isOfApi = (url: string): boolean => /^\/(graphql|rest|devices|auth)\//.test(url)
