import type { Outbound } from '../outbound/outbound.ts'
import { inSpan, type Tracing } from './tracing.ts'

/** A span for each message to an address that a user named: by its host alone, for paths may hold secrets of their receivers. */
export const traceOutbound = (tracing: Tracing, outbound: Outbound): Outbound => ({
  ...outbound,
  post: (message) =>
    inSpan(tracing, 'webhook delivery', {
      kind: 'client',
      attributes: { 'http.request.method': 'POST', 'server.address': message.url.hostname },
      async work(span) {
        const answer = await outbound.post(message)
        if (answer.status === null) span.fail('unanswered')
        else {
          span.set({ 'http.response.status_code': answer.status })
          if (answer.status < 200 || answer.status >= 300) span.fail(String(answer.status))
        }
        return answer
      },
    }),
})
