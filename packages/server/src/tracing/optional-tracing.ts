import type { FastifyBaseLogger } from 'fastify'
import type { Config } from '../config.ts'
import type { Tracing } from './spans.ts'

export type TraceSettings = Pick<Config, 'traceEndpoint' | 'traceTimeout' | 'traceSampler' | 'traceShare'>

/** Returns undefined if no endpoint is set, and then does not load the tracing libraries. */
export async function openTracing(
  { traceEndpoint, traceTimeout: timeout, traceSampler: sampler, traceShare: share }: TraceSettings,
  log: FastifyBaseLogger,
): Promise<Tracing | undefined> {
  if (traceEndpoint === undefined) return undefined
  const [{ createTracing }, { createCollector }] = await Promise.all([
    import('./opentelemetry-tracing.ts'),
    import('./collector.ts'),
  ])
  return createTracing({ sampler, share, processor: createCollector(log, timeout) })
}
