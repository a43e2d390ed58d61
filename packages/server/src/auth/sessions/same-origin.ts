import type { FastifyRequest } from 'fastify'

/** The console sends this header with every request. Forms and links on other sites cannot send it. */
export const CONSOLE_HEADER = 'muster-session'

/**
 * Whether a request comes from a page of this server, according to the browser: it has the header that no form can send, and
 * neither `Origin` nor `Sec-Fetch-Site` names another site. A body must be JSON, which no form can send either.
 */
export function isFromConsole({ method, headers, host }: FastifyRequest, publicUrl: string | undefined): boolean {
  if (headers[CONSOLE_HEADER] !== '1') return false
  if (method === 'POST' && !/^application\/json *(;|$)/i.test(headers['content-type'] ?? '')) return false
  const site = headers['sec-fetch-site']
  if (site !== undefined && site !== 'same-origin') return false
  const { origin } = headers
  return origin === undefined || origin === publicUrl || origin === `http://${host}` || origin === `https://${host}`
}

/** The origin by which a browser calls this server: MUSTER_PUBLIC_URL, or the one in the request. */
export function originOf({ headers, host, protocol }: FastifyRequest, publicUrl: string | undefined): string {
  if (publicUrl !== undefined) return publicUrl
  return headers.origin === `https://${host}` ? headers.origin : `${protocol}://${host}`
}
