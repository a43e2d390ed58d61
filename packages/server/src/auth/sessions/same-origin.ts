import type { FastifyRequest } from 'fastify'

/** The console's scripts send this header. Forms and links on other sites cannot send it. */
export const CONSOLE_HEADER = 'muster-session'

/**
 * Returns whether a request has `CONSOLE_HEADER` and, if it is a POST, a JSON content type. If the request has the
 * header `Sec-Fetch-Site` or `Origin`, that header must also indicate this server's origin. Forms on other sites can
 * send neither `CONSOLE_HEADER` nor a JSON content type.
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
