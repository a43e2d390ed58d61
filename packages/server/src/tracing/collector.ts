import { ExportResultCode } from '@opentelemetry/core'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { BatchSpanProcessor, type SpanExporter, type SpanProcessor } from '@opentelemetry/sdk-trace'
import type { FastifyBaseLogger } from 'fastify'

type Log = Pick<FastifyBaseLogger, 'info' | 'warn'>

/** The number of spans that can wait for the collector. The processor drops further spans. */
const MAX_QUEUED_SPANS = 4_096
const EXPORT_INTERVAL_MS = 2_000
/** The processor waits this much longer than the exporter, so the exporter can report its own timeout. */
const GRACE_MS = 1_000

/**
 * Creates a processor that queues spans, up to a limit, and exports them to the collector. `timeoutMillis` limits an
 * export, including its retries.
 */
export const createCollector = (log: Log, timeoutMillis: number): SpanProcessor =>
  new BatchSpanProcessor({
    exporter: createExporter(log, timeoutMillis),
    maxQueueSize: MAX_QUEUED_SPANS,
    scheduledDelayMillis: EXPORT_INTERVAL_MS,
    exportTimeoutMillis: timeoutMillis + GRACE_MS,
  })

/** While the collector is unavailable, spans are lost. The server logs only the first failure, and the recovery. */
function createExporter(log: Log, timeoutMillis: number): SpanExporter {
  const exporter = new OTLPTraceExporter({ timeoutMillis })
  let isUnavailable = false
  return {
    export(spans, done) {
      exporter.export(spans, ({ code, error }) => {
        const failed = code !== ExportResultCode.SUCCESS
        if (failed && !isUnavailable) log.warn({ reason: reasonOf(error) }, 'traces cannot be exported and are lost')
        if (!failed && isUnavailable) log.info('traces can be exported again')
        isUnavailable = failed
        done({ code: ExportResultCode.SUCCESS })
      })
    },
    forceFlush: () => exporter.forceFlush(),
    shutdown: () => exporter.shutdown(),
  }
}

/** Omits the error's message, which may contain the collector's response and therefore data that the server sent. */
const reasonOf = (error: Error | undefined): string => {
  const { code, name = 'Error' } = (error ?? {}) as { code?: unknown; name?: string }
  return code === undefined ? name : `${name} ${code}`
}
