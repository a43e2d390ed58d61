import type { Outbound } from '../outbound/outbound-post.ts'
import { inSpan, type Tracing } from './spans.ts'

/** Creates a span for each request. Of the URL, the span contains only the host, because paths may contain secrets. */
export const traceOutbound = (tracing: Tracing, outbound: Outbound): Outbound => ({
  ...outbound,
  post: (message) =>
    inSpan(tracing, 'webhook delivery', {
      kind: 'client',
      attributes: { 'http.request.method': 'POST', 'server.address': message.url.hostname },
      async work(span) {
        const response = await outbound.post(message)
        if (response.status === null) span.fail('unanswered')
        else {
          span.set({ 'http.response.status_code': response.status })
          if (response.status < 200 || response.status >= 300) span.fail(String(response.status))
        }
        return response
      },
    }),
})
