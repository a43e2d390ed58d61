import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../../config.ts'
import { ApiError } from '../../errors.ts'
import { boundedMap } from '../../lib/bounded-map.ts'
import { createSlot } from '../../lib/slot.ts'
import { limits } from '../../limits.ts'
import { createProduction, type Need } from './production.ts'
import { onceResponseEnds } from './response-end.ts'
import { sendInPieces } from './response-pieces.ts'

/** What is known of a response before it is produced. */
export interface ExpectedResponse {
  /** Name of the operation. */
  readonly name: string
  /** Objects that the response may hold. */
  readonly objectCount: number
}

/** Keeps the bytes of responses within limits, from the start of their production until clients have read them. */
export interface ResponseBytes {
  /**
   * Waits until the memory limits allow producing this response. Undefined: now. Throws RATE_LIMITED when the caller does not read
   * the responses that are queued for it.
   */
  reserve(reply: FastifyReply, expected: ExpectedResponse): Promise<void> | undefined
  /** Whether the responses that wait to be read leave no room for more. */
  isFull(caller: string): boolean
  /** Bytes of all responses that wait to be read. */
  queued(): number
}

export interface ResponseBytesOptions {
  config: Pick<Config, 'queuedBytes' | 'queuedBytesPerUser'>
  /** By whom a request is counted as in flight; undefined for one that is not counted. */
  callerOf: (request: FastifyRequest) => string | undefined
}

/** Shorter responses need no counting: the number of requests in flight limits them. */
const SMALL_BYTES = 16 * 1024
/** Of a response above this size, few are produced at a time. While it is produced, it takes several times its size. */
const LARGE_BYTES = 4 * 1024 * 1024
/** What an object may take, as long as no response to the same operation is known: as much as its attributes may have. */
const OBJECT_BYTES = limits.bytesPerTarget
/** Operations of users whose last responses are remembered. */
const REMEMBERED = 10_000
/** A smaller response reduces the estimate by this factor at most: the next response may be a large one again. */
const FORGET = 0.8

/** A response in production. */
interface Expected {
  readonly key: string
  /** The estimate from the last responses with this key. */
  readonly last: number | undefined
  /** Ends its reservation. */
  end: (() => void) | undefined
}

const isKnownSmall = ({ last }: Expected): boolean => last !== undefined && last < SMALL_BYTES

export const queueFull = (): ApiError =>
  new ApiError('RATE_LIMITED', `${QUEUE_FULL}: read them, then retry`, { retryAfter: 1 })

export const QUEUE_FULL = 'responses that were requested before have not been read'

export function limitResponseBytes(app: FastifyInstance, options: ResponseBytesOptions): ResponseBytes {
  const { config, callerOf } = options
  const production = createProduction({ total: config.queuedBytes, perCaller: config.queuedBytesPerUser, queueFull })
  const lastBytes = boundedMap<string, number>(REMEMBERED)
  const expected = createSlot<FastifyRequest, Expected>('expected response')

  const needOf = (last: number | undefined, objectCount: number): Need => {
    const most = Math.min(objectCount * OBJECT_BYTES, limits.answerBytes)
    const bytes = Math.min(last ?? most, most)
    // A response that may be large by its limit may be large again, whatever the last one was.
    return { bytes, weight: bytes > LARGE_BYTES ? 4 : most > LARGE_BYTES ? 1 : 0 }
  }

  app.addHook('onSend', (request, reply, payload, done) => {
    // The size of a stream is not known: what is reserved for it is kept until its end.
    if (typeof payload === 'string' || Buffer.isBuffer(payload)) {
      const isSmall = payload.length < SMALL_BYTES
      const response = expected.get(request)
      if (response !== undefined && !(isSmall && isKnownSmall(response)))
        lastBytes.set(response.key, Math.max(payload.length, FORGET * (response.last ?? 0)))
      const caller = isSmall ? undefined : callerOf(request)
      if (caller !== undefined) onceResponseEnds(reply, production.queue(caller, payload.length))
      response?.end?.()
    }
    done(null, payload)
  })

  // After the hook above, which counts the body as a whole.
  sendInPieces(app)

  return {
    isFull: production.isFull,
    queued: production.queued,
    reserve(reply, { name, objectCount }) {
      const { request } = reply
      const caller = callerOf(request)
      if (caller === undefined) return undefined
      const key = `${caller} ${name} ${objectCount}`
      const last = lastBytes.get(key)
      const need = needOf(last, objectCount)
      const response: Expected = { key, last, end: undefined }
      expected.set(request, response)
      if (need.weight === 0 && isKnownSmall(response)) return undefined
      return production.start(caller, need, (end) => {
        response.end = end
        onceResponseEnds(reply, end)
      })
    },
  }
}
