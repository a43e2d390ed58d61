import type { FastifyInstance } from 'fastify'

const YEAR_SECONDS = 365 * 86_400

/**
 * Headers of every response. A browser that opens a response directly must not guess its content type or load or run anything.
 * Other origins must not embed it in a frame or a page. Pages of the console have other headers (`console-headers.ts`).
 */
const baseHeaders = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
}

/**
 * With `isHttps`, browsers must use HTTPS (RFC 6797). This applies to this host only, because the server knows nothing about
 * subdomains or other hosts of the domain.
 */
export const securityHeaders = (isHttps: boolean): Readonly<Record<string, string>> =>
  isHttps ? { ...baseHeaders, 'strict-transport-security': `max-age=${YEAR_SECONDS}` } : baseHeaders

export function registerSecurityHeaders(app: FastifyInstance, headers: Readonly<Record<string, string>>): void {
  app.addHook('onRequest', (_request, reply, done) => {
    reply.headers(headers)
    done()
  })
}
