import type { IncomingHttpHeaders } from 'node:http'

export type SpanAttributes = Readonly<Record<string, string | number | undefined>>

export interface SpanOptions {
  /**
   * `server`: a request to this server. `client`: a request to another server, such as the database. `consumer`: a
   * background job or an MQTT message. `internal`: a GraphQL operation.
   */
  kind: 'server' | 'client' | 'consumer' | 'internal'
  attributes?: SpanAttributes
  /** The headers whose trace the span continues (W3C Trace Context). If omitted, the active span is the parent. */
  headers?: IncomingHttpHeaders
}

/** An operation with a duration. The server exports a sampled span after the span ends. */
export interface Span {
  readonly traceId: string
  /** Spans that begin during `work` are children of this span. */
  run<Result>(work: () => Result): Result
  set(attributes: SpanAttributes): void
  /** Takes a code and not a message, because error messages may contain any data. */
  fail(code: string): void
  end(): void
}

export interface Tracing {
  /** Returns whether there is an active span, which would be the parent of a new span. */
  hasActiveSpan(): boolean
  begin(name: string, options: SpanOptions): Span
  close(): Promise<void>
}

export async function inSpan<Result>(
  tracing: Tracing,
  name: string,
  { work, ...options }: SpanOptions & { work: (span: Span) => Promise<Result> },
): Promise<Result> {
  const span = tracing.begin(name, options)
  try {
    return await span.run(() => work(span))
  } catch (error) {
    span.fail(kindOf(error))
    throw error
  } finally {
    span.end()
  }
}

function kindOf(error: unknown): string {
  if (!(error instanceof Error)) return 'error'
  const code = 'code' in error ? error.code : undefined
  return typeof code === 'string' && /^\w{1,40}$/.test(code) ? code : error.name
}
