import type { FastifyInstance } from 'fastify'

const YEAR_SECONDS = 365 * 86_400

/**
 * Browsers must not guess the content type of a response, load resources for it, or send a Referer header from it. No
 * page may show a response in a frame, and other origins must not embed a response.
 */
const baseHeaders = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
}

/**
 * Returns the security headers of a response. With `isHttps`, the headers require browsers to use HTTPS for this host
 * (RFC 6797). The headers do not include subdomains, which might not support HTTPS.
 */
export const securityHeaders = (isHttps: boolean): Readonly<Record<string, string>> =>
  isHttps ? { ...baseHeaders, 'strict-transport-security': `max-age=${YEAR_SECONDS}` } : baseHeaders

export function registerSecurityHeaders(app: FastifyInstance, headers: Readonly<Record<string, string>>): void {
  app.addHook('onRequest', (_request, reply, done) => {
    reply.headers(headers)
    done()
  })
}
