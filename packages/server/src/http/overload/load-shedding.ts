import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../../config.ts'
import { ApiError } from '../../errors.ts'
import { type CallersOptions, createCallers, type KnownViewer } from './callers.ts'
import { watchLag } from './event-loop-lag.ts'
import { createInFlight } from './in-flight.ts'
import { prepareRejections } from './rejections.ts'
import { createRequestQueue } from './request-queue.ts'
import type { ShedReason } from './shedding-log.ts'
import type { SheddingMetrics } from './shedding-metrics.ts'
import { createSustainedLoad } from './sustained-load.ts'

export interface LoadSheddingOptions extends CallersOptions {
  config: Pick<Config, 'mostRequests' | 'mostStanding' | 'mostLag'>
  /** Paths that report the state of the server. Their requests are never rejected. */
  isExempt: (path: string) => boolean
  /** Whether a request is long-lived by design. The route decides, because a path can be written in more than one way. */
  isLongLived: (request: FastifyRequest) => boolean
  /** The headers of every response. */
  headersOf: (request: FastifyRequest) => Readonly<Record<string, string>>
  metrics: SheddingMetrics
}

export interface LoadShedding {
  inFlight(): number
  /** The caller that a request in flight counts for. */
  callerOf(request: FastifyRequest): string | undefined
  /**
   * Counts a request for its user instead of its address. Call this as soon as the user is known. Throws UNAVAILABLE when the
   * server is overloaded and the user has more than a fair share of the requests in flight.
   */
  identify(request: FastifyRequest, viewer: KnownViewer): void
}

/** The default of MUSTER_MOST_STANDING is MUSTER_MOST_REQUESTS divided by this. */
const SUSTAINED_DIVISOR = 5
/** The server never has more than this many times the limit in flight, even if no caller exceeds its fair share. */
const LIMIT_FACTOR = 2

const messages: Readonly<Record<ShedReason, string>> = {
  requests: 'the server has as many requests in flight as it accepts',
  standing: 'the server has had too many requests in flight for more than 2 seconds',
  lag: 'the server is too busy',
}

const RETRY_AFTER_S = 1

/**
 * Rejects requests while the server is overloaded, starting with callers that have more than a fair share of the requests in
 * flight. A fair share is the limit divided by the number of active callers. Requests are checked when the headers have
 * arrived, when the body has arrived, and when the user is known. Register this before everything else that handles requests,
 * so that a rejection costs almost nothing. Accepted requests start in round-robin order of their callers (request-queue.ts).
 */
export function shedLoad(app: FastifyInstance, options: LoadSheddingOptions): LoadShedding {
  const { config, isExempt, isExhausted, isLongLived, headersOf, metrics } = options
  const { mostRequests, mostStanding = Math.ceil(mostRequests / SUSTAINED_DIVISOR) } = config
  const sustained = createSustainedLoad(mostStanding)
  const inFlight = createInFlight(sustained.update)
  const isLagging = watchLag(app, config.mostLag)
  const enqueueStart = createRequestQueue()
  const enqueueRejection = createRequestQueue()
  const callers = createCallers(options)
  const sendRejection = prepareRejections(messages, headersOf)

  /** The limit that has been reached, and the number of requests that it allows. */
  const limitReached = (): [ShedReason, number] | undefined => {
    const { total } = inFlight
    if (total >= mostRequests) return ['requests', mostRequests]
    if (total >= mostStanding && sustained.isSustained()) return ['standing', mostStanding]
    return isLagging() ? ['lag', total] : undefined
  }

  /** Whether a caller has more than a fair share. `own` is 1 for a request that is not counted yet. */
  const isOverShare = (caller: string, limit: number, own: 0 | 1): boolean => {
    if (inFlight.total >= mostRequests * LIMIT_FACTOR) return true
    const before = inFlight.of(caller)
    const active = inFlight.callers + (before === 0 ? 1 : 0)
    return before + own > Math.ceil(limit / active)
  }

  /** Returns whether the request may continue; rejects it otherwise. */
  const mayContinue = (request: FastifyRequest, reply: FastifyReply): boolean => {
    const reached = limitReached()
    if (reached === undefined) return true
    const [reason, limit] = reached
    const caller = callers.of(request)
    if (!isOverShare(caller, limit, 1)) return true
    const reject = (): void => sendRejection(reason, request, reply)
    // Clients that immediately repeat rejected requests would make event-loop iterations long. libuv accepts only one
    // connection per iteration, so other clients could not connect.
    if (isExhausted(options.addressOf(request))) enqueueRejection(caller, reject)
    else reject()
    metrics.countEarly(reason, request)
    return false
  }

  app.addHook('onRequest', (request, reply, done) => {
    if (isExempt(request.url) || mayContinue(request, reply)) done()
  })
  // The body has arrived, so from now on the request takes time because of the server and not because of a slow connection.
  app.addHook('preHandler', (request, reply, done) => {
    // Fastify runs this hook twice for a request that a route forwards to the not-found handler.
    if (isExempt(request.url) || isLongLived(request) || inFlight.has(request)) return done()
    if (!mayContinue(request, reply)) return
    const caller = callers.of(request)
    inFlight.add(request, reply, caller)
    enqueueStart(caller, done)
  })
  return {
    inFlight: () => inFlight.total,
    callerOf: inFlight.callerOf,
    identify(request, viewer) {
      const caller = callers.identify(viewer)
      if (!inFlight.has(request)) return
      inFlight.move(request, caller)
      const reached = limitReached()
      if (reached === undefined) return
      const [reason, limit] = reached
      if (!isOverShare(caller, limit, 0)) return
      metrics.countLate(reason)
      const message = `${messages[reason]}: retry in ${RETRY_AFTER_S} s`
      throw new ApiError('UNAVAILABLE', message, { retryAfter: RETRY_AFTER_S })
    },
  }
}
