import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../../config.ts'
import { ApiError } from '../../errors.ts'
import { boundedMap } from '../../lib/bounded-map.ts'
import { createSlot } from '../../lib/slot.ts'
import { limits } from '../../limits.ts'
import { hasClientLeft, onceResponseEnds } from './response-end.ts'
import { BodyPieces, sendInPieces } from './response-pieces.ts'
import { createResponseQueue, type Need } from './response-queue.ts'

export interface ExpectedResponse {
  readonly name: string
  readonly objectCount: number
}

/** Limits the bytes of responses from the start of their production until clients have read them. */
export interface ResponseBytes {
  /**
   * Waits until the memory limits allow the response. Returns undefined if they already allow it. Throws RATE_LIMITED
   * if the caller does not read its queued responses, or UNAVAILABLE if the client has closed the connection.
   */
  reserve(reply: FastifyReply, expected: ExpectedResponse): Promise<void> | undefined
  isFull(caller: string): boolean
  queued(): number
}

export interface ResponseBytesOptions {
  config: Pick<Config, 'queuedBytes' | 'queuedBytesPerUser'>
  callerOf: (request: FastifyRequest) => string | undefined
}

/** Responses below this number of bytes are not counted. The limit on requests in flight limits their total size. */
const SMALL_BYTES = 16 * 1024
/**
 * Producing a response above this number of bytes takes several times its size in memory. The server therefore produces
 * only a few such responses at a time.
 */
const LARGE_BYTES = 4 * 1024 * 1024
/**
 * The assumed maximum size of an object in a response, in bytes. It is the limit on an object's base values or its
 * values in one context. No estimate exceeds this size times the number of objects, or `limits.answerBytes`. The lower
 * value is also the estimate for an operation that has not had a response yet.
 */
const OBJECT_BYTES = limits.bytesPerTarget
/** The maximum number of cached estimates. Each caller has one for each operation and number of objects. */
const MAX_ESTIMATES = 10_000
/** A smaller response leaves at least this fraction of the estimate, because the next response may be large again. */
const DECAY = 0.8

interface Expected {
  readonly key: string
  /** The estimated size, in bytes, from previous responses. Undefined if there were none. */
  readonly estimate: number | undefined
  end: (() => void) | undefined
}

function sizeOf(payload: unknown): number | undefined {
  if (typeof payload === 'string' || Buffer.isBuffer(payload)) return payload.length
  return payload instanceof BodyPieces ? payload.byteLength : undefined
}

const isKnownSmall = ({ estimate }: Expected): boolean => estimate !== undefined && estimate < SMALL_BYTES

export const queueFull = (): ApiError =>
  new ApiError('RATE_LIMITED', 'earlier responses have not been read: read them, then retry', { retryAfter: 1 })

/** Throws UNAVAILABLE if the client has left, because no client would receive the response. */
function assertConnected(reply: FastifyReply): void {
  if (hasClientLeft(reply)) throw new ApiError('UNAVAILABLE', 'the client has closed the connection')
}

export function limitResponseBytes(app: FastifyInstance, options: ResponseBytesOptions): ResponseBytes {
  const { config, callerOf } = options
  const queue = createResponseQueue({ total: config.queuedBytes, perCaller: config.queuedBytesPerUser, queueFull })
  const estimates = boundedMap<string, number>(MAX_ESTIMATES)
  const expected = createSlot<FastifyRequest, Expected>('expected response')

  const needOf = (estimate: number | undefined, objectCount: number): Need => {
    const maxBytes = Math.min(objectCount * OBJECT_BYTES, limits.answerBytes)
    const bytes = Math.min(estimate ?? maxBytes, maxBytes)
    // If `maxBytes` is large, this response may be large, even if previous responses to the operation were small.
    return { bytes, weight: bytes > LARGE_BYTES ? 4 : maxBytes > LARGE_BYTES ? 1 : 0 }
  }

  app.addHook('onSend', (request, reply, payload, done) => {
    const size = sizeOf(payload)
    // If the payload is a stream of unknown size, the reservation lasts until the response ends.
    if (size !== undefined) {
      const isSmall = size < SMALL_BYTES
      const response = expected.get(request)
      if (response !== undefined && !(isSmall && isKnownSmall(response)))
        estimates.set(response.key, Math.max(size, DECAY * (response.estimate ?? 0)))
      const caller = isSmall ? undefined : callerOf(request)
      if (caller !== undefined) onceResponseEnds(reply, queue.queue(caller, size))
      response?.end?.()
    }
    done(null, payload)
  })

  // This hook must be registered after the hook above, which needs the size of the whole body.
  sendInPieces(app)

  return {
    isFull: queue.isFull,
    queued: queue.queued,
    reserve(reply, { name, objectCount }) {
      assertConnected(reply)
      const { request } = reply
      const caller = callerOf(request)
      if (caller === undefined) return undefined
      const key = `${caller} ${name} ${objectCount}`
      const estimate = estimates.get(key)
      const need = needOf(estimate, objectCount)
      const response: Expected = { key, estimate, end: undefined }
      expected.set(request, response)
      if (need.weight === 0 && isKnownSmall(response)) return undefined
      const started = queue.start(caller, need, (end) => {
        response.end = end
        onceResponseEnds(reply, end)
      })
      // The client may have left while the response was waiting.
      return started?.then(() => assertConnected(reply))
    },
  }
}
