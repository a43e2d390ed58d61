import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Config } from '../../config.ts'
import { networkOf } from '../../lib/client-address.ts'
import { HttpError } from '../../lib/http-error.ts'
import { limits } from '../../limits.ts'
import type { Metrics } from '../../metrics.ts'
import { onceResponseEnds } from '../responses/response-end.ts'
import { prepareRejections } from './rejection-responses.ts'

export interface RequestBodiesOptions {
  config: Pick<Config, 'bodyBytes' | 'bodyBytesPerAddress'>
  addressOf: (request: FastifyRequest) => string
  headersOf: (request: FastifyRequest) => Readonly<Record<string, string>>
  metrics: Metrics | undefined
}

export interface RequestBodies {
  /** Returns the number of bytes in large request bodies that the server is receiving or processing. */
  bytes(): number
}

type Limit = 'address' | 'total'

/** Bodies up to this size, in bytes, are not counted. */
const SMALL_BYTES = 16 * 1024

const ofAddress = { address: 'too many large request bodies from this address are being received or processed' }
const inTotal = { total: 'the server is receiving or processing too many large request bodies' }

/**
 * Limits the total size of the request bodies from each address, and from all addresses. A body counts until the end of
 * the response. Its size is the size that the request's headers announce or, if the body is chunked, the maximum size.
 * Small bodies do not count.
 */
export function limitRequestBodies(app: FastifyInstance, options: RequestBodiesOptions): RequestBodies {
  const { config, addressOf, headersOf, metrics } = options
  const bytesOf = new Map<string, number>()
  let total = 0
  const rejectForAddress = prepareRejections(ofAddress, headersOf, 'RATE_LIMITED')
  const rejectInTotal = prepareRejections(inTotal, headersOf)
  const countRejected = metrics?.counter('requestBodiesRejected')
  metrics?.gauge('requestBodyBytes', () => total)

  const limitReached = (network: string, bytes: number): Limit | undefined => {
    const before = bytesOf.get(network) ?? 0
    if (before + bytes > config.bodyBytesPerAddress) return 'address'
    if (total + bytes <= config.bodyBytes) return undefined
    // Fair shares keep a few addresses from using up the total. The limit of twice the total keeps many addresses from
    // using up the memory.
    const addresses = bytesOf.size + (before === 0 ? 1 : 0)
    const isFair = before + bytes <= config.bodyBytes / addresses
    return isFair && total + bytes <= 2 * config.bodyBytes ? undefined : 'total'
  }

  const add = (network: string, bytes: number): void => {
    total += bytes
    const sum = (bytesOf.get(network) ?? 0) + bytes
    if (sum === 0) bytesOf.delete(network)
    else bytesOf.set(network, sum)
  }

  app.addHook('onRequest', (request, reply, done) => {
    const bytes = announcedBytes(request)
    if (bytes <= SMALL_BYTES) return done()
    const network = networkOf(addressOf(request))
    const limit = limitReached(network, bytes)
    if (limit !== undefined) {
      countRejected?.(limit)
      return limit === 'address' ? rejectForAddress(limit, request, reply) : rejectInTotal(limit, request, reply)
    }
    add(network, bytes)
    onceResponseEnds(reply, () => add(network, -bytes))
    done()
  })
  return { bytes: () => total }
}

/** Rejects compressed bodies. Call this after `recordRequests`, which then counts and logs the rejected requests. */
export function rejectCompressedBodies(app: FastifyInstance, headersOf: RequestBodiesOptions['headersOf']): void {
  app.addHook('onRequest', (request, reply, done) => {
    const encoding = request.headers['content-encoding'] ?? 'identity'
    if (encoding.toLowerCase() === 'identity') return done()
    reply.headers(headersOf(request))
    done(
      new HttpError(415, 'the server does not decompress bodies: send the body uncompressed and omit Content-Encoding'),
    )
  })
}

function announcedBytes({ headers }: FastifyRequest): number {
  if (headers['transfer-encoding'] !== undefined) return limits.requestBodyBytes
  return Math.min(Number(headers['content-length'] ?? 0) || 0, limits.requestBodyBytes)
}
