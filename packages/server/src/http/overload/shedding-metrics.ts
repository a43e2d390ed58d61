import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Metrics } from '../../metrics.ts'
import { routeOf } from '../request-outcome.ts'
import { logShedding, type ShedReason } from './shedding-log.ts'

export interface SheddingMetrics {
  /** Records a rejection and its request, because `recordRequests` does not record the request. */
  countEarly(reason: ShedReason, request: FastifyRequest): void
  /** Records only a rejection, because `recordRequests` records the request. */
  countLate(reason: ShedReason): void
}

export function measureShedding(
  app: FastifyInstance,
  { metrics, logsAll }: { metrics: Metrics | undefined; logsAll: boolean },
): SheddingMetrics {
  const countShed = metrics?.counter('requestsShed')
  const countRequest = metrics?.counter('requests')
  const log = logShedding(app)
  const countLate = (reason: ShedReason): void => {
    countShed?.(reason)
    log(reason)
  }
  return {
    countLate,
    countEarly(reason, request) {
      const operation = routeOf(request)
      countRequest?.(operation, '503', 'UNAVAILABLE')
      countLate(reason)
      if (logsAll) request.log.info({ operation, status: 503, code: 'UNAVAILABLE' }, 'request')
    },
  }
}
