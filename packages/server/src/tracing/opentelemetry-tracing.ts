import { AsyncLocalStorage } from 'node:async_hooks'
import {
  type Context,
  defaultTextMapGetter,
  type Span as OpenTelemetrySpan,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api'
import { W3CTraceContextPropagator } from '@opentelemetry/core'
import {
  defaultResource,
  detectResources,
  type Resource,
  resourceAttributesEnvDetector,
  resourceFromAttributes,
  serviceInstanceIdDetector,
  serviceNameEnvDetector,
} from '@opentelemetry/resources'
import { type SpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'
import { version } from '../version.ts'
import { makeSampler, type SamplerOptions } from './sampler.ts'
import type { Span, SpanAttributes, Tracing } from './spans.ts'

export interface TracingOptions extends SamplerOptions {
  processor: SpanProcessor
}

const kinds = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  consumer: SpanKind.CONSUMER,
  internal: SpanKind.INTERNAL,
} as const

/**
 * Does not use OpenTelemetry's global API, because other libraries would then also create spans, with values that must
 * not be exported.
 */
export function createTracing({ processor, ...sampling }: TracingOptions): Tracing {
  const provider = new TracerProvider({
    resource: describeServer(),
    sampler: makeSampler(sampling),
    spanProcessors: [processor],
  })
  const tracer = provider.getTracer('muster', version)
  const propagator = new W3CTraceContextPropagator()
  const active = new AsyncLocalStorage<ActiveSpan>()
  const current = (): Context => {
    const { context, hasEnded } = active.getStore() ?? noSpan
    return hasEnded ? ROOT_CONTEXT : context
  }
  return {
    hasActiveSpan: () => active.getStore()?.hasEnded === false,
    begin(name, { kind, attributes = {}, headers }) {
      const parent = headers === undefined ? current() : propagator.extract(ROOT_CONTEXT, headers, defaultTextMapGetter)
      const span = tracer.startSpan(name, { kind: kinds[kind], attributes: defined(attributes) }, parent)
      return asSpan(span, { context: trace.setSpan(parent, span), hasEnded: false }, active)
    },
    close: () => provider.shutdown(),
  }
}

/** The active span. Work that continues after the end of the span, such as a timer, does not belong to it. */
interface ActiveSpan {
  context: Context
  hasEnded: boolean
}

const noSpan: Readonly<ActiveSpan> = { context: ROOT_CONTEXT, hasEnded: true }

function asSpan(span: OpenTelemetrySpan, own: ActiveSpan, active: AsyncLocalStorage<ActiveSpan>): Span {
  return {
    traceId: span.spanContext().traceId,
    run: (work) => active.run(own, work),
    set: (attributes) => void span.setAttributes(defined(attributes)),
    fail(code) {
      span.setAttribute('error.type', code)
      span.setStatus({ code: SpanStatusCode.ERROR })
    },
    end() {
      own.hasEnded = true
      span.end()
    },
  }
}

const defined = (attributes: SpanAttributes): Record<string, string | number> =>
  Object.fromEntries(
    Object.entries(attributes).filter((entry): entry is [string, string | number] => entry[1] !== undefined),
  )

/**
 * Returns the attributes that identify the server in traces. `OTEL_SERVICE_NAME` and `OTEL_RESOURCE_ATTRIBUTES` can
 * override these attributes. Omits the host and the command line, because they may reveal private data.
 */
function describeServer(): Resource {
  const own = resourceFromAttributes({ 'service.name': 'muster', 'service.version': version })
  const detectors = [serviceInstanceIdDetector, resourceAttributesEnvDetector, serviceNameEnvDetector]
  return defaultResource().merge(own).merge(detectResources({ detectors }))
}
