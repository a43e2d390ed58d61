import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { badInput } from '../../errors.ts'
import { limits } from '../../limits.ts'
import { type ErrorMappingInput, formatApiError, toApiError } from '../error-mapping.ts'
import { negotiate, type ResponseType } from './media-type.ts'
import { errorResponse, fromTransportError, type Response, toSend } from './response.ts'

/** Reads bodies as bytes, forbids caching of the responses, and returns every error as a GraphQL response. */
export function prepareScope(scope: FastifyInstance, mapping: (request: FastifyRequest) => ErrorMappingInput): void {
  scope.removeAllContentTypeParsers()
  // `*` includes `application/json`, but Fastify remembers only the parsers of listed types. For other types, it parses
  // the header again for each request.
  scope.addContentTypeParser(
    ['application/json', '*'],
    { parseAs: 'buffer', bodyLimit: limits.requestBodyBytes },
    (_request, body, done) => done(null, body),
  )
  scope.addHook('onRequest', (_request, reply, done) => {
    reply.header('cache-control', 'no-store')
    done()
  })
  scope.setErrorHandler((error, request, reply) => {
    const apiError = toApiError(fromTransportError(error, request.headers), mapping(request))
    const isMediaType = error instanceof Error && 'statusCode' in error && error.statusCode === 415
    return send(reply, errorResponse(apiError, errorType(request), isMediaType ? 415 : apiError.status))
  })
}

/** Clients that accept no supported type get application/json. */
const errorType = ({ headers }: FastifyRequest): ResponseType => negotiate(headers.accept) ?? 'application/json'

export function send(reply: FastifyReply, [text, init]: Response): FastifyReply {
  // For HTTP errors, graphql-http returns a status without a body.
  const body = text ?? JSON.stringify({ errors: [formatApiError(badInput(messages[init.status] ?? init.statusText))] })
  const type = init.headers?.['content-type'] ?? 'application/json; charset=utf-8'
  return reply
    .code(init.status)
    .headers({ ...init.headers, 'content-type': type })
    .send(toSend(body))
}

const messages: Record<number, string> = {
  405: 'this HTTP method is not supported: send queries by GET or POST, and mutations by POST',
  406: 'responses are application/graphql-response+json or application/json, in UTF-8: accept one of them',
  415: 'the Content-Type is not supported: send the request as application/json in UTF-8',
}
