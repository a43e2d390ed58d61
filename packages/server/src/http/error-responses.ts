import type { Socket } from 'node:net'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type ApiError, badInput, limitExceeded } from '../errors.ts'
import { formatApiError, toApiError } from '../graphql/error-mapping.ts'
import { errorResponse, fromTransportError } from '../graphql/transport/response.ts'

export function registerErrorHandler(app: FastifyInstance): void {
  app.setErrorHandler((error, request, reply) => sendError(error, request, reply))
}

/** `bodyBytes` is the limit on the request's body. The default is the API's limit. */
export function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply, bodyBytes?: number): void {
  const apiError = toApiError(fromTransportError(error, request.headers, bodyBytes), {
    requestId: request.id,
    onInternal: (fault) => request.log.error({ err: fault }, 'a request failed because of an internal error'),
  })
  const [text, { status, headers }] = errorResponse(apiError, 'application/json')
  reply
    .code(status)
    .headers({ 'x-request-id': request.id, ...headers })
    .send(text)
}

export function registerNotFound(app: FastifyInstance): void {
  app.setNotFoundHandler((request, reply) => {
    // The message omits the query string, because it may contain a secret that was meant for another path.
    const [path = ''] = request.url.split('?', 1)
    const message = `there is no route ${request.method} ${path.slice(0, 200)}; the API is at /graphql/v1`
    return reply.code(404).send({ errors: [{ message, extensions: { code: 'NOT_FOUND' } }] })
  })
}

/**
 * Handles input that is not HTTP, that exceeds the header limit, or that does not arrive in time. Fastify creates no
 * reply in these cases, so this function writes the response directly to the socket and closes it.
 */
export function sendClientError(
  error: Error & { code?: string },
  socket: Socket,
  commonHeaders: Readonly<Record<string, string>>,
): void {
  // After a connection or TLS error, the client would not receive a response.
  const isHttpError = /^(HPE|ERR_HTTP)_/.test(error.code ?? '')
  if (!isHttpError || socket.destroyed || !socket.writable) return void socket.destroy()
  const [status, apiError] = connectionError(error.code)
  const body = JSON.stringify({ errors: [formatApiError(apiError)] })
  const headers = {
    ...commonHeaders,
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  socket.end(`${[`HTTP/1.1 ${status}`, ...lines].join('\r\n')}\r\n\r\n${body}`)
}

function connectionError(code: string | undefined): [status: string, error: ApiError] {
  if (code === 'HPE_HEADER_OVERFLOW') {
    const message = 'the request line and headers exceed 16384 bytes: shorten them, or send a long query with POST'
    return ['431 Request Header Fields Too Large', limitExceeded(message)]
  }
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    const message = 'the request did not arrive in time: send its headers and body without delay'
    return ['408 Request Timeout', badInput(message)]
  }
  return ['400 Bad Request', badInput('the request is not valid HTTP: check its request line, headers, and body')]
}
