import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../../config.ts'
import { ApiError, retryIn } from '../../errors.ts'
import { type CallersOptions, createCallers, type KnownViewer } from './callers.ts'
import { watchLag } from './event-loop-lag.ts'
import { createInFlight } from './in-flight.ts'
import { prepareRejections } from './rejection-responses.ts'
import { createRequestQueue } from './request-queue.ts'
import type { ShedReason } from './shedding-log.ts'
import type { SheddingMetrics } from './shedding-metrics.ts'
import { createSustainedLoad } from './sustained-load-detection.ts'

export interface LoadSheddingOptions extends CallersOptions {
  config: Pick<Config, 'mostRequests' | 'mostStanding' | 'mostLag'>
  /** Load shedding never rejects requests to an exempt path. */
  isExempt: (path: string) => boolean
  /**
   * Checks whether the request opens a stream, which does not count as in flight. Must check the route instead of the
   * path, because a path can be encoded in several ways.
   */
  isLongLived: (request: FastifyRequest) => boolean
  headersOf: (request: FastifyRequest) => Readonly<Record<string, string>>
  metrics: SheddingMetrics
}

export interface LoadShedding {
  inFlight(): number
  callerOf(request: FastifyRequest): string | undefined
  /**
   * Call this as soon as the account is known. Throws UNAVAILABLE if the server is overloaded and the account exceeds
   * its fair share of the requests in flight. Also throws if the number of requests in flight reaches `LIMIT_FACTOR`
   * times MUSTER_MOST_REQUESTS.
   */
  identify(request: FastifyRequest, viewer: KnownViewer): void
}

/** The default of MUSTER_MOST_STANDING is MUSTER_MOST_REQUESTS divided by this number, rounded up. */
const SUSTAINED_DIVISOR = 5
/**
 * If the number of requests in flight reaches this multiple of MUSTER_MOST_REQUESTS, the server rejects every request
 * that is not exempt. It then ignores the fair shares of the callers.
 */
const LIMIT_FACTOR = 2

const messages: Readonly<Record<ShedReason, string>> = {
  requests: 'the server has reached its limit of requests in flight',
  standing: 'the server has had too many requests in flight for more than 2 seconds',
  lag: 'the server is too busy',
}

const RETRY_AFTER_S = 1

/**
 * Rejects requests while the server is overloaded, starting with callers that exceed their fair share of the requests
 * in flight. A fair share is the limit divided by the number of active callers. Checks requests after their headers
 * arrive, after their bodies arrive, and after authentication. Accepted requests start in round-robin order of their
 * callers (request-queue.ts). Register this before all other request handlers, so that a rejection costs almost
 * nothing.
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

  const limitReached = (): [ShedReason, number] | undefined => {
    const { total } = inFlight
    if (total >= mostRequests) return ['requests', mostRequests]
    if (total >= mostStanding && sustained.isSustained()) return ['standing', mostStanding]
    return isLagging() ? ['lag', total] : undefined
  }

  /** `own` is 1 for a request that has not been counted yet. */
  const isOverShare = (caller: string, limit: number, own: 0 | 1): boolean => {
    if (inFlight.total >= mostRequests * LIMIT_FACTOR) return true
    const before = inFlight.of(caller)
    const active = inFlight.callers + (before === 0 ? 1 : 0)
    return before + own > Math.ceil(limit / active)
  }

  /**
   * If a limit is reached and the caller exceeds its fair share, rejects the request and returns the reason. Otherwise,
   * returns undefined.
   */
  const rejectExcess = (request: FastifyRequest, reply: FastifyReply): ShedReason | undefined => {
    const reached = limitReached()
    if (reached === undefined) return undefined
    const [reason, limit] = reached
    const caller = callers.of(request)
    if (!isOverShare(caller, limit, 1)) return undefined
    const reject = (): void => sendRejection(reason, request, reply)
    // If the address has no authentication attempts left, the rejection is queued, because clients that immediately
    // repeat rejected requests would prolong event-loop iterations. Each listening socket accepts only one connection
    // per iteration, so other clients would have to wait longer to connect.
    if (isExhausted(options.addressOf(request))) enqueueRejection(caller, reject)
    else reject()
    return reason
  }

  app.addHook('onRequest', (request, reply, done) => {
    const reason = isExempt(request.url) ? undefined : rejectExcess(request, reply)
    if (reason === undefined) done()
    else metrics.countEarly(reason, request)
  })
  // A request counts only after its body has arrived. From then on, its duration depends on the server and not on a
  // slow connection.
  app.addHook('preHandler', (request, reply, done) => {
    // If a route forwards a request to the not-found handler, Fastify runs this hook twice.
    if (isExempt(request.url) || isLongLived(request) || inFlight.has(request)) return done()
    const reason = rejectExcess(request, reply)
    if (reason !== undefined) return metrics.countLate(reason)
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
      const message = `${messages[reason]}: ${retryIn(RETRY_AFTER_S)}`
      throw new ApiError('UNAVAILABLE', message, { retryAfter: RETRY_AFTER_S })
    },
  }
}
