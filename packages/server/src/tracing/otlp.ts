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
import { BatchSpanProcessor, type SpanExporter, TracerProvider } from '@opentelemetry/sdk-trace'
import { version } from '../version.ts'
import { makeSampler, type SamplerOptions } from './sampler.ts'
import type { Span, SpanAttributes, Tracing } from './tracing.ts'

export interface OtlpOptions extends SamplerOptions {
  exporter: SpanExporter
  /** Milliseconds after which the exporter has given up. */
  timeout: number
}

const kinds = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  consumer: SpanKind.CONSUMER,
  internal: SpanKind.INTERNAL,
} as const

/** While the collector takes nothing, so many wait for it, and further ones are dropped. */
const WAITING_SPANS = 4_096
const EVERY_MS = 2_000
/** What knows of its own end is not ended. */
const GRACE_MS = 1_000

/**
 * Nothing is registered with OpenTelemetry's API for the whole process: libraries that would tell of themselves there, with values
 * that they know, do not.
 */
export function createTracing({ exporter, timeout, ...sampling }: OtlpOptions): Tracing {
  const processor = new BatchSpanProcessor({
    exporter,
    maxQueueSize: WAITING_SPANS,
    scheduledDelayMillis: EVERY_MS,
    exportTimeoutMillis: timeout + GRACE_MS,
  })
  const provider = new TracerProvider({
    resource: describeServer(),
    sampler: makeSampler(sampling),
    spanProcessors: [processor],
  })
  const tracer = provider.getTracer('muster', version)
  const propagator = new W3CTraceContextPropagator()
  const running = new AsyncLocalStorage<Running>()
  const current = (): Context => {
    const { context, isOver } = running.getStore() ?? nothing
    return isOver ? ROOT_CONTEXT : context
  }
  return {
    isWithin: () => running.getStore()?.isOver === false,
    begin(name, { kind, attributes = {}, headers }) {
      const parent = headers === undefined ? current() : propagator.extract(ROOT_CONTEXT, headers, defaultTextMapGetter)
      const span = tracer.startSpan(name, { kind: kinds[kind], attributes: defined(attributes) }, parent)
      return asSpan(span, { context: trace.setSpan(parent, span), isOver: false }, running)
    },
    close: () => provider.shutdown(),
  }
}

/** What goes on for longer than the span in which it was begun, such as a timer, is no part of it afterwards. */
interface Running {
  context: Context
  isOver: boolean
}

const nothing: Readonly<Running> = { context: ROOT_CONTEXT, isOver: true }

function asSpan(span: OpenTelemetrySpan, own: Running, running: AsyncLocalStorage<Running>): Span {
  return {
    traceId: span.spanContext().traceId,
    run: (work) => running.run(own, work),
    set: (attributes) => void span.setAttributes(defined(attributes)),
    fail(code) {
      span.setAttribute('error.type', code)
      span.setStatus({ code: SpanStatusCode.ERROR })
    },
    end() {
      own.isOver = true
      span.end()
    },
  }
}

const defined = (attributes: SpanAttributes): Record<string, string | number> =>
  Object.fromEntries(
    Object.entries(attributes).filter((entry): entry is [string, string | number] => entry[1] !== undefined),
  )

/** What `OTEL_SERVICE_NAME` and `OTEL_RESOURCE_ATTRIBUTES` say, over what is said without them. Neither host nor command line. */
function describeServer(): Resource {
  const own = resourceFromAttributes({ 'service.name': 'muster', 'service.version': version })
  const detectors = [serviceInstanceIdDetector, resourceAttributesEnvDetector, serviceNameEnvDetector]
  return defaultResource().merge(own).merge(detectResources({ detectors }))
}
