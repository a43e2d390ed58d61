import type { Socket } from 'node:net'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ApiError, badInput } from '../errors.ts'
import { formatApiError, toApiError } from '../graphql/error-mapping.ts'
import { errorResponse, fromTransportError } from '../graphql/transport/answer.ts'

/** Whatever goes wrong on a route without a word of its own: the same form of error as everywhere, and no detail of a fault. */
export function registerErrorAnswers(app: FastifyInstance): void {
  app.setErrorHandler(answerError)
}

export function answerError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const told = toApiError(fromTransportError(error, request.headers), {
    requestId: request.id,
    onInternal: (fault) => request.log.error({ err: fault }, 'a request failed by a fault of the server'),
  })
  const [text, { status, headers }] = errorResponse(told, 'application/json')
  reply
    .code(status)
    .headers({ 'x-request-id': request.id, ...headers })
    .send(text)
}

/**
 * What is no HTTP, or more of it than is read, has no request to answer: it is told on the socket, which is then closed.
 * `given`: headers of every answer.
 */
export function answerClientError(
  error: Error & { code?: string },
  socket: Socket,
  given: Readonly<Record<string, string>>,
): void {
  // Of the connection, or of its TLS: nothing said there would arrive.
  const isOfHttp = /^(HPE|ERR_HTTP)_/.test(error.code ?? '')
  if (!isOfHttp || socket.destroyed || !socket.writable) return void socket.destroy()
  const [status, told] = ofConnection(error.code)
  const body = JSON.stringify({ errors: [formatApiError(told)] })
  const headers = {
    ...given,
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  socket.end(`${[`HTTP/1.1 ${status}`, ...lines].join('\r\n')}\r\n\r\n${body}`)
}

function ofConnection(code: string | undefined): [status: string, error: ApiError] {
  if (code === 'HPE_HEADER_OVERFLOW') {
    const message = 'the request line and the headers may have 16384 bytes and have more; send long queries by POST'
    return ['431 Request Header Fields Too Large', new ApiError('LIMIT_EXCEEDED', message)]
  }
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return ['408 Request Timeout', badInput('the request did not arrive in time')]
  }
  return ['400 Bad Request', badInput('this is no HTTP request, or one that cannot be read')]
}
