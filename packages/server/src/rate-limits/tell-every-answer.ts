import type { FastifyInstance } from 'fastify'
import type { AddressOf } from '../http/client-address.ts'
import { payerAt, type RateLimits } from './rate-limits.ts'
import { tellLeft } from './spend.ts'

/** Where nobody was charged, an answer of the API tells what the address has left: one that was shed, or found nothing, or too much. */
export function tellEveryAnswer(app: FastifyInstance, limits: RateLimits, addressOf: AddressOf): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    if (!reply.hasHeader('ratelimit') && isOfApi(request.url)) tellLeft(payerAt(limits, addressOf(request.raw)), reply)
    done(null, payload)
  })
}

const isOfApi = (url: string): boolean => /^\/(graphql|rest|devices|auth)\//.test(url)
