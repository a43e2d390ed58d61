import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Config } from '../../config.ts'
import { networkOf } from '../../lib/client-address.ts'
import { limits } from '../../limits.ts'
import { HttpError } from '../../rest/statuses.ts'
import { onceResponseEnds } from '../responses/response-end.ts'
import { prepareRefusals } from './refusals.ts'

export interface RequestBodiesOptions {
  config: Pick<Config, 'bodyBytesPerAddress'>
  addressOf: (request: FastifyRequest) => string
  headersOf: (request: FastifyRequest) => Readonly<Record<string, string>>
}

/** Shorter bodies are not counted. */
const SMALL_BYTES = 16 * 1024

const messages = { bodies: 'too many large request bodies of this address are being received or processed' }

/** Rejects compressed bodies. Limits the bytes of request bodies of an address, from the headers to the end of the response. Counts what the headers announce. */
export function limitRequestBodies(app: FastifyInstance, { config, addressOf, headersOf }: RequestBodiesOptions): void {
  const bytesOf = new Map<string, number>()
  const refuse = prepareRefusals(messages, headersOf, 'RATE_LIMITED')

  app.addHook('onRequest', (request, reply, done) => {
    const encoding = request.headers['content-encoding'] ?? 'identity'
    if (encoding.toLowerCase() !== 'identity') {
      reply.headers(headersOf(request))
      done(new HttpError(415, 'the server does not decompress bodies: send the body without Content-Encoding'))
      return
    }
    const bytes = announcedBytes(request)
    if (bytes <= SMALL_BYTES) return done()
    const network = networkOf(addressOf(request))
    const before = bytesOf.get(network) ?? 0
    if (before + bytes > config.bodyBytesPerAddress) return refuse('bodies', request, reply)
    bytesOf.set(network, before + bytes)
    onceResponseEnds(reply, () => {
      const left = bytesOf.get(network)! - bytes
      if (left === 0) bytesOf.delete(network)
      else bytesOf.set(network, left)
    })
    done()
  })
}

/** A body of unknown length may be as long as any body may be. */
function announcedBytes({ headers }: FastifyRequest): number {
  if (headers['transfer-encoding'] !== undefined) return limits.requestBodyBytes
  return Math.min(Number(headers['content-length'] ?? 0) || 0, limits.requestBodyBytes)
}
