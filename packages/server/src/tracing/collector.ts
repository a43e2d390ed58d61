import { ExportResultCode } from '@opentelemetry/core'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import type { SpanExporter } from '@opentelemetry/sdk-trace'
import type { FastifyBaseLogger } from 'fastify'

/**
 * Where `OTEL_EXPORTER_OTLP_ENDPOINT` says, as JSON over HTTP, with the headers and the compression of the other variables. What a
 * collector that is away is not told is lost, and the log says so once for each time that it goes away. `timeoutMillis`: with its retries.
 */
export function createCollector(log: Pick<FastifyBaseLogger, 'info' | 'warn'>, timeoutMillis: number): SpanExporter {
  const exporter = new OTLPTraceExporter({ timeoutMillis })
  let isAway = false
  return {
    export(spans, done) {
      exporter.export(spans, ({ code, error }) => {
        const failed = code !== ExportResultCode.SUCCESS
        if (failed && !isAway)
          log.warn({ reason: reasonOf(error) }, 'traces do not reach their collector, and are lost')
        if (!failed && isAway) log.info('traces reach their collector again')
        isAway = failed
        done({ code: ExportResultCode.SUCCESS })
      })
    },
    forceFlush: () => exporter.forceFlush(),
    shutdown: () => exporter.shutdown(),
  }
}

/** What a collector answers may repeat what it was sent. */
const reasonOf = (error: Error | undefined): string => {
  const { code, name = 'Error' } = (error ?? {}) as { code?: unknown; name?: string }
  return code === undefined ? name : `${name} ${code}`
}
