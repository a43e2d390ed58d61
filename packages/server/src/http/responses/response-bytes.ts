import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../../config.ts'
import { ApiError } from '../../errors.ts'
import { boundedMap } from '../../lib/bounded-map.ts'
import { createSlot } from '../../lib/slot.ts'
import { limits } from '../../limits.ts'
import { onceResponseEnds } from './response-end.ts'
import { sendInPieces } from './response-pieces.ts'
import { createResponseQueue, type Need } from './response-queue.ts'

/** Response properties that are known before production. */
export interface ExpectedResponse {
  /** Name of the operation. */
  readonly name: string
  /** Maximum number of objects in the response. */
  readonly objectCount: number
}

/** Limits the bytes of responses from the start of their production until clients have read them. */
export interface ResponseBytes {
  /**
   * Waits until the memory limits allow this response. Returns undefined if they already do. Throws RATE_LIMITED if the caller
   * does not read its queued responses.
   */
  reserve(reply: FastifyReply, expected: ExpectedResponse): Promise<void> | undefined
  /** Whether the caller's unread responses have reached the limit. */
  isFull(caller: string): boolean
  /** Returns the number of bytes in all unread responses. */
  queued(): number
}

export interface ResponseBytesOptions {
  config: Pick<Config, 'queuedBytes' | 'queuedBytesPerUser'>
  /** Returns the caller that a request in flight counts for, or undefined for a request that is not counted. */
  callerOf: (request: FastifyRequest) => string | undefined
}

/** Smaller responses are not counted, because the number of requests in flight limits them. */
const SMALL_BYTES = 16 * 1024
/** Only a few responses above this size are produced at a time, because production requires several times their size. */
const LARGE_BYTES = 4 * 1024 * 1024
/** Estimated size of an object before an operation's first response: the limit on the size of an object's attributes. */
const OBJECT_BYTES = limits.bytesPerTarget
/** Maximum number of cached estimates, one for each caller and operation. */
const MAX_ESTIMATES = 10_000
/** A smaller response multiplies the estimate by no less than this factor, because the next response may be large again. */
const DECAY = 0.8

/** A response in production. */
interface Expected {
  readonly key: string
  /** The estimate in bytes from previous responses with this key. */
  readonly estimate: number | undefined
  /** Releases the reservation. */
  end: (() => void) | undefined
}

const isKnownSmall = ({ estimate }: Expected): boolean => estimate !== undefined && estimate < SMALL_BYTES

export const queueFull = (): ApiError =>
  new ApiError('RATE_LIMITED', `${QUEUE_FULL}: read them, then retry`, { retryAfter: 1 })

const QUEUE_FULL = 'earlier responses have not been read'

export function limitResponseBytes(app: FastifyInstance, options: ResponseBytesOptions): ResponseBytes {
  const { config, callerOf } = options
  const queue = createResponseQueue({ total: config.queuedBytes, perCaller: config.queuedBytesPerUser, queueFull })
  const estimates = boundedMap<string, number>(MAX_ESTIMATES)
  const expected = createSlot<FastifyRequest, Expected>('expected response')

  const needOf = (estimate: number | undefined, objectCount: number): Need => {
    const maxBytes = Math.min(objectCount * OBJECT_BYTES, limits.answerBytes)
    const bytes = Math.min(estimate ?? maxBytes, maxBytes)
    // Any response that can be large may be large now, even if the last response was small.
    return { bytes, weight: bytes > LARGE_BYTES ? 4 : maxBytes > LARGE_BYTES ? 1 : 0 }
  }

  app.addHook('onSend', (request, reply, payload, done) => {
    // A stream's size is unknown, so its reservation lasts until the response ends.
    if (typeof payload === 'string' || Buffer.isBuffer(payload)) {
      const isSmall = payload.length < SMALL_BYTES
      const response = expected.get(request)
      if (response !== undefined && !(isSmall && isKnownSmall(response)))
        estimates.set(response.key, Math.max(payload.length, DECAY * (response.estimate ?? 0)))
      const caller = isSmall ? undefined : callerOf(request)
      if (caller !== undefined) onceResponseEnds(reply, queue.queue(caller, payload.length))
      response?.end?.()
    }
    done(null, payload)
  })

  // Register this after the hook above, which needs the size of the whole body.
  sendInPieces(app)

  return {
    isFull: queue.isFull,
    queued: queue.queued,
    reserve(reply, { name, objectCount }) {
      const { request } = reply
      const caller = callerOf(request)
      if (caller === undefined) return undefined
      const key = `${caller} ${name} ${objectCount}`
      const estimate = estimates.get(key)
      const need = needOf(estimate, objectCount)
      const response: Expected = { key, estimate, end: undefined }
      expected.set(request, response)
      if (need.weight === 0 && isKnownSmall(response)) return undefined
      return queue.start(caller, need, (end) => {
        response.end = end
        onceResponseEnds(reply, end)
      })
    },
  }
}
