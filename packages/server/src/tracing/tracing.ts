import type { IncomingHttpHeaders } from 'node:http'

export type SpanAttributes = Readonly<Record<string, string | number | undefined>>

export interface SpanOptions {
  /** What it is to the trace: something asked of this server, that it asks of another, that it was sent, or its own. */
  kind: 'server' | 'client' | 'consumer' | 'internal'
  attributes?: SpanAttributes
  /** Those of a request: the trace that its sender began goes on (W3C Trace Context §2). Left away: the span that runs. */
  headers?: IncomingHttpHeaders
}

/** Something that takes its time, and is told of once it has ended. */
export interface Span {
  readonly traceId: string
  /** What is begun meanwhile is part of it. */
  run<Result>(work: () => Result): Result
  set(attributes: SpanAttributes): void
  /** By its kind: what an error says may hold anything. */
  fail(code: string): void
  end(): void
}

export interface Tracing {
  /** Whether a span runs that others would be part of. */
  isWithin(): boolean
  begin(name: string, options: SpanOptions): Span
  /** Sends what has ended, as far as somebody takes it. */
  close(): Promise<void>
}

/** Does something within a span, which ends when it has. */
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

/** An error's code, such as a SQLSTATE or one of the API, or its class. */
function kindOf(error: unknown): string {
  if (!(error instanceof Error)) return 'error'
  const code = 'code' in error ? error.code : undefined
  return typeof code === 'string' && /^\w{1,40}$/.test(code) ? code : error.name
}
