import type { FastifyInstance } from 'fastify'

const YEAR_SECONDS = 365 * 86_400

/**
 * What every answer tells a browser that shows it for itself: it is what it says it is, loads and runs nothing, and stands in no frame
 * or page of others. Pages of the console say their own instead (`console-headers.ts`).
 */
const headers = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
}

/**
 * `isHttps`: browsers are told to come by https alone (RFC 6797). Only this host: of those below and beside it the server
 * knows nothing.
 */
export const securityHeaders = (isHttps: boolean): Readonly<Record<string, string>> =>
  isHttps ? { ...headers, 'strict-transport-security': `max-age=${YEAR_SECONDS}` } : headers

export function registerSecurityHeaders(app: FastifyInstance, given: Readonly<Record<string, string>>): void {
  app.addHook('onRequest', (_request, reply, done) => {
    reply.headers(given)
    done()
  })
}
