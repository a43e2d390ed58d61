import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Response } from 'graphql-http'
import { badInput } from '../errors.ts'
import { limits } from '../limits.ts'
import { errorAnswer, ofTransport, toSend } from './answer.ts'
import { type ErrorMappingInput, formatApiError, toApiError } from './error-mapping.ts'
import { type AnswerType, negotiate } from './media-type.ts'

/** What every way into GraphQL has in common: bodies are read as bytes, and whatever is thrown is answered as GraphQL. */
export function prepareScope(scope: FastifyInstance, mapping: (request: FastifyRequest) => ErrorMappingInput): void {
  scope.removeAllContentTypeParsers()
  // Fastify finds the parser of a type that is named at once, and any other only after it parsed the header.
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
    const told = toApiError(ofTransport(error, request.headers), mapping(request))
    const isMediaType = error instanceof Error && 'statusCode' in error && error.statusCode === 415
    return send(reply, errorAnswer(told, answerType(request), isMediaType ? 415 : told.status))
  })
}

/** What can be answered with; application/json to those that take none of both. */
const answerType = ({ headers }: FastifyRequest): AnswerType => negotiate(headers.accept) ?? 'application/json'

export function send(reply: FastifyReply, [text, init]: Response): FastifyReply {
  // graphql-http answers with a status alone where HTTP itself is at fault.
  const body =
    text ?? JSON.stringify({ errors: [formatApiError(badInput(whatIsWrong[init.status] ?? init.statusText))] })
  const type = init.headers?.['content-type'] ?? 'application/json; charset=utf-8'
  return reply
    .code(init.status)
    .headers({ ...init.headers, 'content-type': type })
    .send(toSend(body))
}

const whatIsWrong: Record<number, string> = {
  405: 'send GraphQL requests by POST, or queries by GET',
  406: 'answers are application/graphql-response+json or application/json, in UTF-8',
  415: 'send the request as application/json in UTF-8',
}
