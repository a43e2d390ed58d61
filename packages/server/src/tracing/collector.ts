import { ExportResultCode } from '@opentelemetry/core'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import type { SpanExporter } from '@opentelemetry/sdk-trace'
import type { FastifyBaseLogger } from 'fastify'

/**
 * Creates an exporter to the collector. While the collector is unavailable, spans are lost. The server logs only the
 * first failure, and the recovery. `timeoutMillis` includes retries.
 */
export function createCollector(log: Pick<FastifyBaseLogger, 'info' | 'warn'>, timeoutMillis: number): SpanExporter {
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
