import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Metrics } from '../metrics.ts'
import { routeOf } from './outcome.ts'
import type { ShedReason } from './overload.ts'
import { tellShedding } from './tell-shedding.ts'

export interface ShedRecordsOptions {
  metrics: Metrics | undefined
  /** True: each is told in the log too, as every request is then. */
  logsAll: boolean
}

/** Counts what is turned away before anything is done for it, and tells of it in the log. Returns whom to tell of each. */
export function recordShed(
  app: FastifyInstance,
  { metrics, logsAll }: ShedRecordsOptions,
): (reason: ShedReason, request: FastifyRequest) => void {
  const countShed = metrics?.counter('requestsShed')
  const count = metrics?.counter('requests')
  const tell = tellShedding(app)
  return (reason, request) => {
    const operation = routeOf(request)
    countShed?.(reason)
    count?.(operation, '503', 'UNAVAILABLE')
    tell(reason)
    if (logsAll) request.log.info({ operation, status: 503, code: 'UNAVAILABLE' }, 'request')
  }
}
