import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../../config.ts'
import { ApiError } from '../../errors.ts'
import { type Callers, createCallers, type KnownViewer } from './callers.ts'
import { watchLag } from './event-loop-lag.ts'
import { createInFlight } from './in-flight.ts'
import { prepareRefusals } from './refusals.ts'
import { createRequestQueue } from './request-queue.ts'
import type { ShedReason } from './shedding-log.ts'
import type { SheddingMetrics } from './shedding-metrics.ts'
import { createSustainedLoad } from './sustained-load.ts'

export interface LoadSheddingOptions {
  config: Pick<Config, 'mostRequests' | 'mostStanding' | 'mostLag'>
  addressOf: (request: FastifyRequest) => string
  /** Whether an address has no attempts to authenticate left. */
  isExhausted: (address: string) => boolean
  /** Paths that report the state of the server: never shed. */
  isExempt: (path: string) => boolean
  /** Requests that last by design. Decided by the route, because a path can be written in more than one way. */
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
   * Counts a request for its user instead of its address. Call it as soon as the user is known. Throws UNAVAILABLE when the server is
   * overloaded and the user has more than a fair share of the requests in flight.
   */
  identify(request: FastifyRequest, viewer: KnownViewer): void
}

/** The default of MUSTER_MOST_STANDING, as a part of MUSTER_MOST_REQUESTS. */
const SUSTAINED_PART = 5
/** However modest the callers are, the server never has more requests in flight than this many times the limit. */
const LIMIT_FACTOR = 2

const messages: Readonly<Record<ShedReason, string>> = {
  requests: 'the server has as many requests in flight as it accepts',
  standing: 'the server has had more requests in flight for seconds than it can finish',
  lag: 'the server is too busy',
}

const RETRY_AFTER_S = 1

/**
 * Rejects requests while the server is overloaded, the callers with more than a fair share of the requests in flight first. A fair
 * share is the limit divided by the callers that are active. It decides when the headers have arrived, when the body has arrived, and
 * when the user is known. Register it before everything else that handles requests: a rejection must cost next to nothing.
 * Accepted requests start in turn (request-queue.ts).
 */
export function shedLoad(app: FastifyInstance, options: LoadSheddingOptions): LoadShedding {
  const { config, isExempt, isExhausted, isLongLived, headersOf, metrics } = options
  const { mostRequests, mostStanding = Math.ceil(mostRequests / SUSTAINED_PART) } = config
  const sustained = createSustainedLoad(mostStanding)
  const inFlight = createInFlight(sustained.update)
  const isLagging = watchLag(app, config.mostLag)
  const startInTurn = createRequestQueue()
  const rejectInTurn = createRequestQueue()
  const callers: Callers = createCallers(options.addressOf)
  const refuse = prepareRefusals(messages, headersOf)

  /** The limit that is reached, and how many requests it allows. */
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

  /** Whether the request may go on; rejects it otherwise. */
  const mayContinue = (request: FastifyRequest, reply: FastifyReply): boolean => {
    const reached = limitReached()
    if (reached === undefined) return true
    const [reason, limit] = reached
    const caller = callers.of(request)
    if (!isOverShare(caller, limit, 1)) return true
    const reject = (): void => refuse(reason, request, reply)
    // Clients that repeat a rejected request at once would make iterations of the event loop long. libuv accepts one connection per
    // iteration, so others could not connect.
    if (isExhausted(options.addressOf(request))) rejectInTurn(caller, reject)
    else reject()
    metrics.countEarly(reason, request)
    return false
  }

  app.addHook('onRequest', (request, reply, done) => {
    if (isExempt(request.url) || mayContinue(request, reply)) done()
  })
  // From here on the body has arrived: a request that takes long now is at work, and not on a slow connection.
  app.addHook('preHandler', (request, reply, done) => {
    // Fastify runs this hook twice for a request that a route passes on to the not-found handler.
    if (isExempt(request.url) || isLongLived(request) || inFlight.has(request)) return done()
    if (!mayContinue(request, reply)) return
    const caller = callers.of(request)
    inFlight.add(request, reply, caller)
    startInTurn(caller, done)
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
