import { performance } from 'node:perf_hooks'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Metrics } from '../metrics.ts'
import { outcomeOf } from './request-outcome.ts'
import { onceResponseEnds } from './responses/response-end.ts'

export interface RequestRecordsOptions {
  metrics: Metrics | undefined
  /** If false, the server logs only slow requests and requests with an internal error. */
  logsAll: boolean
  /** Returns the request's trace ID, or undefined if it has none. The function is undefined if tracing is disabled. */
  traceIdOf: ((request: FastifyRequest) => string | undefined) | undefined
}

const SLOW_MS = 1_000
/**
 * The maximum number of log lines about slow requests per second, unless `logsAll` is true. The server counts further
 * slow requests but does not log them, because log lines add to the load.
 */
const SLOW_LINES_PER_SECOND = 10

/** Counts, times, and logs requests, except those that a limit in `overload/` rejects before this hook runs. */
export function recordRequests(app: FastifyInstance, options: RequestRecordsOptions): void {
  const { metrics, logsAll, traceIdOf } = options
  const count = metrics?.counter('requests')
  const addSeconds = metrics?.histogram('requestSeconds')

  const mayLogSlow = createAllowance(SLOW_LINES_PER_SECOND, (suppressed) =>
    app.log.info({ suppressed }, 'further slow requests were not logged'),
  )

  const record = (request: FastifyRequest, reply: FastifyReply, ms: number): void => {
    const { kind, operation, label, status, code } = outcomeOf(request, reply)
    const isShortLived = kind !== 'subscription' && kind !== 'download'
    count?.(operation, String(status), code)
    if (isShortLived) addSeconds?.(ms / 1_000, kind)
    const isInternalError = code === 'INTERNAL'
    const isSlow = isShortLived && ms >= SLOW_MS
    if (!(logsAll || isInternalError || (isSlow && mayLogSlow()))) return
    const traceId = traceIdOf?.(request)
    const line = { operation: label, status, code, ms: Math.round(ms * 10) / 10, traceId }
    if (isInternalError) request.log.warn(line, 'request')
    else request.log.info(line, 'request')
  }

  app.addHook('onRequest', (request, reply, done) => {
    const startedAt = performance.now()
    onceResponseEnds(reply, () => record(request, reply, performance.now() - startedAt))
    done()
  })
}

/**
 * The returned function returns true for the first `limit` calls in a second, and false for further calls. At the end
 * of the second, `reportOthers` receives the number of further calls, if there were any.
 */
function createAllowance(limit: number, reportOthers: (count: number) => void): () => boolean {
  let calls = 0
  let isCounting = false
  const end = (): void => {
    isCounting = false
    if (calls > limit) reportOthers(calls - limit)
    calls = 0
  }
  return () => {
    if (!isCounting) setTimeout(end, 1_000).unref()
    isCounting = true
    return ++calls <= limit
  }
}
