import type { FastifyInstance, FastifyRequest } from 'fastify'
import { outcomeOf, routeOf } from '../http/request-outcome.ts'
import type { Span, Tracing } from './spans.ts'

export interface RequestSpans {
  traceIdOf(request: FastifyRequest): string | undefined
}

/**
 * Creates a span for each request, from its headers to the end of its response. Requests to exempt paths have no spans.
 * Requests that a limit in `http/overload/` rejects before this hook runs have no spans either.
 */
export function traceRequests(
  app: FastifyInstance,
  tracing: Tracing,
  { isExempt }: { isExempt: (path: string) => boolean },
): RequestSpans {
  const spans = new WeakMap<FastifyRequest, Span>()

  app.addHook('onRequest', (request, reply, done) => {
    if (isExempt(request.url)) return done()
    const { headers, method, protocol } = request
    const attributes = { 'http.request.method': method, 'http.route': request.routeOptions.url, 'url.scheme': protocol }
    const span = tracing.begin(routeOf(request), { kind: 'server', headers, attributes })
    spans.set(request, span)
    reply.raw.on('close', () => {
      const { operation, status, code } = outcomeOf(request, reply)
      span.set({
        'http.response.status_code': status === 0 ? undefined : status,
        'muster.operation': operation,
        'muster.code': code,
        'muster.request_id': request.id,
      })
      if (status >= 500 || status === 0) span.fail(status === 0 ? 'closed' : code)
      span.end()
    })
    done()
  })
  // The span becomes active here and not earlier, because the body is parsed in a different async context.
  app.addHook('preHandler', (request, _reply, done) => {
    const span = spans.get(request)
    if (span === undefined) done()
    else span.run(done)
  })
  return { traceIdOf: (request) => spans.get(request)?.traceId }
}
