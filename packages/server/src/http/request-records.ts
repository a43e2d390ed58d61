import { performance } from 'node:perf_hooks'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Metrics } from '../metrics.ts'
import { outcomeOf } from './outcome.ts'

export interface RequestRecordsOptions {
  metrics: Metrics | undefined
  /** True: each request is told in the log; false: those that failed by the server, and those that took long. */
  logsAll: boolean
  /** By which its trace is found, where there is one. */
  traceIdOf: ((request: FastifyRequest) => string | undefined) | undefined
}

const LONG_MS = 1_000
/** Where all take long, a line for each would take more: so many a second are told, and then how many more there were. */
const LONG_TOLD = 10

/** Counts and logs every request when it is over, except those that load shedding rejects early (`overload/shedding-metrics.ts`). */
export function recordRequests(app: FastifyInstance, options: RequestRecordsOptions): void {
  const { metrics, logsAll, traceIdOf } = options
  const count = metrics?.counter('requests')
  const addSeconds = metrics?.histogram('requestSeconds')

  const mayTell = createAllowance(LONG_TOLD, (alsoLong) => app.log.info({ alsoLong }, 'further requests took long'))

  const record = (request: FastifyRequest, reply: FastifyReply, ms: number): void => {
    const { kind, operation, status, code } = outcomeOf(request, reply)
    const isShort = kind !== 'subscription' && kind !== 'download'
    count?.(operation, String(status), code)
    if (isShort) addSeconds?.(ms / 1_000, kind)
    const isFault = code === 'INTERNAL'
    const isLong = isShort && ms >= LONG_MS
    if (!(logsAll || isFault || (isLong && mayTell()))) return
    const traceId = traceIdOf?.(request)
    const line = { operation, status, code, ms: Math.round(ms * 10) / 10, traceId }
    if (isFault) request.log.warn(line, 'request')
    else request.log.info(line, 'request')
  }

  app.addHook('onRequest', (request, reply, done) => {
    const began = performance.now()
    // Also of a connection that broke, and of a stream that was never an answer of Fastify's.
    reply.raw.on('close', () => record(request, reply, performance.now() - began))
    done()
  })
}

/** So many times a second; of the others it is told once the second is over. */
function createAllowance(most: number, tellOthers: (count: number) => void): () => boolean {
  let told = 0
  let isCounting = false
  const end = (): void => {
    isCounting = false
    if (told > most) tellOthers(told - most)
    told = 0
  }
  return () => {
    if (!isCounting) setTimeout(end, 1_000).unref()
    isCounting = true
    return ++told <= most
  }
}
