import type { FastifyInstance, FastifyRequest } from 'fastify'

export type CorsHeaders = (request: FastifyRequest) => Readonly<Record<string, string>>

/** Headers that pages may send. The list omits Date and Host, because browsers do not let pages set them. */
const REQUEST_HEADERS = [
  'accept',
  'authorization',
  'content-digest',
  'content-type',
  'digest',
  'idempotency-key',
  'signature',
  'signature-input',
  'traceparent',
  'tracestate',
  'x-date',
  'apollo-require-preflight',
  'apollographql-client-name',
  'apollographql-client-version',
  'x-apollo-operation-name',
]

const RESPONSE_HEADERS = ['RateLimit', 'RateLimit-Policy', 'Retry-After', 'x-request-id', 'Link', 'Location']

/** How long browsers may cache the response to a preflight request. Chromium allows at most two hours. */
const MAX_AGE_SECONDS = 7_200

const preflightHeaders = {
  'access-control-allow-methods': 'GET, HEAD, POST, PUT, PATCH, DELETE',
  'access-control-allow-headers': REQUEST_HEADERS.join(', '),
  'access-control-max-age': String(MAX_AGE_SECONDS),
}

const exposedHeaders = { 'access-control-expose-headers': RESPONSE_HEADERS.join(', ') }

/**
 * The returned function returns the CORS headers of a response. They never allow credentials. Pages from other origins
 * must sign their requests, because the server ignores their session cookies.
 */
export function corsHeaders(origins: readonly string[]): CorsHeaders {
  const allowed = new Set(origins)
  return ({ url, method, headers }) => {
    if (allowed.size === 0 || !isApi(url)) return {}
    const vary = { vary: 'Origin' }
    if (headers.origin === undefined || !allowed.has(headers.origin)) return vary
    const allowOrigin = { ...vary, 'access-control-allow-origin': headers.origin }
    return { ...allowOrigin, ...(method === 'OPTIONS' ? preflightHeaders : exposedHeaders) }
  }
}

export function registerCors(app: FastifyInstance, origins: readonly string[], headersOf: CorsHeaders): void {
  if (origins.length === 0) return
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(headersOf(request))
    if (!isPreflight(request)) return done()
    reply.code(204).send()
  })
}

const isPreflight = ({ url, method, headers }: FastifyRequest): boolean =>
  method === 'OPTIONS' &&
  isApi(url) &&
  headers.origin !== undefined &&
  headers['access-control-request-method'] !== undefined

const isApi = (url: string): boolean => /^\/(?:graphql\/v1(?:\/stream)?\/?(?:\?|$)|rest(?:\/|\?|$))/.test(url)
