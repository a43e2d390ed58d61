import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Config } from '../../config.ts'
import type { Metrics } from '../../metrics.ts'
import { limitResponseBytes, queueFull, type ResponseBytes } from '../responses/response-memory-limit.ts'
import { closeSlowReaders } from '../responses/slow-readers.ts'
import { type LoadShedding, type LoadSheddingOptions, shedLoad } from './load-shedding.ts'
import { releaseMemory } from './memory-release.ts'
import { limitRequestBodies } from './request-bodies.ts'
import { measureShedding } from './shedding-metrics.ts'

export interface CallerLimitsOptions extends Omit<LoadSheddingOptions, 'config' | 'metrics'> {
  config: Config
  metrics: Metrics | undefined
}

/**
 * Limits on requests in flight, on request body bytes, and on unread response bytes, for each caller or address and in
 * total.
 */
export interface CallerLimits extends Pick<LoadShedding, 'identify'>, Pick<ResponseBytes, 'reserve'> {
  /** Throws RATE_LIMITED if the caller's queue of unread responses is full. */
  assertReadsResponses(request: FastifyRequest): void
}

/** The estimated memory of a request in flight, in bytes, without its body and response. */
const REQUEST_BYTES = 64 * 1024

/** Call this function before registering any other request handler, so that a rejection costs almost nothing. */
export function limitCallers(app: FastifyInstance, options: CallerLimitsOptions): CallerLimits {
  const { config, metrics } = options
  const requestBodies = limitRequestBodies(app, options)
  const shedding = shedLoad(app, {
    ...options,
    metrics: measureShedding(app, { metrics, logsAll: config.logRequests }),
  })
  metrics?.gauge('requestsUnderWay', shedding.inFlight)
  const responses = limitResponseBytes(app, { config, callerOf: shedding.callerOf })
  metrics?.gauge('queuedResponseBytes', responses.queued)
  releaseMemory(app, () => requestBodies.bytes() + responses.queued() + shedding.inFlight() * REQUEST_BYTES)
  closeSlowReaders(app, config.readTimeout)
  return {
    identify: shedding.identify,
    reserve: responses.reserve,
    assertReadsResponses(request) {
      const caller = shedding.callerOf(request)
      if (caller !== undefined && responses.isFull(caller)) throw queueFull()
    },
  }
}
