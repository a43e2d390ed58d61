import type { FastifyRequest } from 'fastify'

/**
 * The console's scripts send this header with every API and sign-in request. Forms and links on other sites cannot send
 * the header.
 */
export const CONSOLE_HEADER = 'muster-session'

/**
 * Checks for `CONSOLE_HEADER`, which no form can send. If the request has the header `Sec-Fetch-Site`, the value must
 * be `same-origin`. If the request has the header `Origin`, the value must name this server. A POST request must have a
 * JSON content type, which forms also cannot send.
 */
export function isFromConsole({ method, headers, host }: FastifyRequest, publicUrl: string | undefined): boolean {
  if (headers[CONSOLE_HEADER] !== '1') return false
  if (method === 'POST' && !/^application\/json *(;|$)/i.test(headers['content-type'] ?? '')) return false
  const site = headers['sec-fetch-site']
  if (site !== undefined && site !== 'same-origin') return false
  const { origin } = headers
  return origin === undefined || origin === publicUrl || origin === `http://${host}` || origin === `https://${host}`
}

export function originOf({ headers, host, protocol }: FastifyRequest, publicUrl: string | undefined): string {
  if (publicUrl !== undefined) return publicUrl
  return headers.origin === `https://${host}` ? headers.origin : `${protocol}://${host}`
}
