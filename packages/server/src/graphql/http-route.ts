import type { FastifyInstance } from 'fastify'
import { type FormattedExecutionResult, GraphQLError } from 'graphql'
import { createHandler, type Response } from 'graphql-http'
import { ApiError, badInput } from '../errors.ts'
import { noteCode, noteOperation } from '../http/outcome.ts'
import { errorAnswer, jsonAnswer } from './answer.ts'
import type { Executor } from './execute.ts'
import { type AnswerType, negotiate } from './media-type.ts'
import { type RawRequest, readRequestParams } from './request-params.ts'
import {
  assertViewer,
  errorMapping,
  type GraphqlViewer,
  identify,
  type OperationGates,
  type OperationStart,
  type Requester,
  runOperation,
} from './run-operation.ts'
import { answerType, prepareScope, send } from './scope.ts'

export interface GraphqlRouteInput<Viewer extends GraphqlViewer> extends OperationGates<Viewer> {
  readonly executor: Executor
  /** Such as `/graphql/v1`; the SDL is served below it. */
  readonly path: string
  readonly sdl: string
}

/** Serves GraphQL over HTTP, and the schema as text, in a scope of its own: bodies are read as bytes there. */
export function registerGraphqlRoute<Viewer extends GraphqlViewer>(
  app: FastifyInstance,
  input: GraphqlRouteInput<Viewer>,
): void {
  const handle = createGraphqlHandler(input)
  app.register(async (scope) => {
    prepareScope(scope, (request) => errorMapping(input, request))
    scope.get(`${input.path}/schema.graphql`, async (request, reply) => {
      input.beforeRequest?.({ request, reply, viewer: null })
      return reply.type('text/plain; charset=utf-8').send(input.sdl)
    })
    scope.route({
      method: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
      exposeHeadRoute: false,
      url: input.path,
      handler: async (request, reply) => {
        const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
        const viewer = await identify(input, { request, reply }, body)
        const { method, url, headers } = request
        const raw: RawRequest = {
          method,
          url,
          headers: { 'content-type': headers['content-type'], accept: negotiate(headers.accept) ?? 'none' },
          body,
        }
        return send(reply, await handle({ ...raw, body: null, raw, context: { request, reply, viewer } }))
      },
    })
  })
}

/**
 * graphql-http judges the HTTP request. What it asks for is answered here, as a whole: its own answers would be serialised with
 * a replacer, which takes several times as long, and have no other status than 200 and 400.
 */
function createGraphqlHandler<Viewer extends GraphqlViewer>(input: GraphqlRouteInput<Viewer>) {
  return createHandler<RawRequest, Requester<Viewer>>({
    parseRequestParams: ({ raw }) => readRequestParams(raw),
    formatError: (error) => {
      const { message, code, details } =
        error instanceof ApiError ? error : badInput(`the request is not a GraphQL one: ${error.message}`)
      return new GraphQLError(message, { extensions: { ...details, code } })
    },
    onSubscribe: async ({ context: requester }, params) => {
      const type = answerType(requester.request)
      const operation = input.executor.prepare(params)
      if (operation.ok) return run(input, { ...requester, operation }, type)
      noteCode(requester.request, operation.code)
      // GraphQL over HTTP: a well-formed request gets 200 as application/json, whatever GraphQL says of it.
      const isLegacy = operation.code === 'BAD_USER_INPUT' && type === 'application/json'
      return jsonAnswer(isLegacy ? 200 : operation.status, type, { errors: operation.errors })
    },
  })
}

async function run<Viewer extends GraphqlViewer>(
  input: GraphqlRouteInput<Viewer>,
  start: OperationStart<Viewer>,
  type: AnswerType,
): Promise<Response> {
  const { request, operation } = start
  noteOperation(request, operation.kind, operation.name)
  assertViewer(start)
  if (operation.kind === 'subscription') throw badInput(`subscriptions are served at ${input.path}/stream`)
  if (operation.kind === 'mutation' && request.method !== 'POST')
    return errorAnswer(badInput('a mutation must be sent by POST'), type, 405, { allow: 'POST' })
  const result = await runOperation(input, start)
  return isUnavailable(result) ? jsonAnswer(503, type, result, { 'retry-after': '1' }) : jsonAnswer(200, type, result)
}

/** Whether all of an answer is that the database was away: proxies and clients that try again go by the status. */
function isUnavailable({ data, errors = [] }: FormattedExecutionResult): boolean {
  if (errors.length === 0 || errors.some(({ extensions }) => extensions?.code !== 'UNAVAILABLE')) return false
  const failed = new Set(errors.map(({ path }) => path?.[0]))
  return Object.entries(data ?? {}).every(([field, value]) => value === null && failed.has(field))
}
