import type { FastifyInstance } from 'fastify'
import type { FormattedExecutionResult } from 'graphql'
import type { RequestParams } from 'graphql-http'
import { badInput } from '../../errors.ts'
import { noteCode, noteOperation } from '../../http/request-outcome.ts'
import { isOutcomeDone } from '../change-made.ts'
import type { Executor } from '../prepare-operation.ts'
import {
  credentialsNeeded,
  errorMapping,
  type GraphqlViewer,
  identify,
  lacksViewer,
  type OperationHooks,
  type OperationStart,
  type Requester,
  runOperation,
} from '../run-operation.ts'
import { negotiate, type ResponseType } from './media-type.ts'
import { prepareScope, send } from './prepare-scope.ts'
import { asBadRequest, readRequestParams } from './request-params.ts'
import { errorResponse, jsonResponse, type Response } from './response.ts'

export interface GraphqlRouteInput<Viewer extends GraphqlViewer> extends OperationHooks<Viewer> {
  readonly executor: Executor
  /** The route also serves the SDL at `schema.graphql` below this path. */
  readonly path: string
  readonly sdl: () => string
}

export function registerGraphqlRoute<Viewer extends GraphqlViewer>(
  app: FastifyInstance,
  input: GraphqlRouteInput<Viewer>,
): void {
  app.register(async (scope) => {
    prepareScope(scope, (request) => errorMapping(input, request))
    scope.get(`${input.path}/schema.graphql`, async (request, reply) => {
      input.beforeRequest?.({ request, reply, viewer: null })
      return reply.type('text/plain; charset=utf-8').send(input.sdl())
    })
    scope.route({
      method: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
      exposeHeadRoute: false,
      url: input.path,
      handler: async (request, reply) => {
        const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
        const viewer = await identify(input, { request, reply }, body)
        return send(reply, await respond(input, { request, reply, viewer }, body))
      },
    })
  })
}

async function respond<Viewer extends GraphqlViewer>(
  input: GraphqlRouteInput<Viewer>,
  requester: Requester<Viewer>,
  body: Buffer,
): Promise<Response> {
  const type = negotiate(requester.request.headers.accept)
  if (type === undefined) return notAcceptable
  const found = await findOperation(input, requester, { body, type })
  if (!isResponse(found)) return run(input, found, type)
  input.onRejected?.(requester, body.length + requester.request.url.length)
  return found
}

async function findOperation<Viewer extends GraphqlViewer>(
  input: GraphqlRouteInput<Viewer>,
  requester: Requester<Viewer>,
  { body, type }: { body: Buffer; type: ResponseType },
): Promise<OperationStart<Viewer> | Response> {
  const { method, url, headers } = requester.request
  let params: RequestParams | Response
  try {
    const read = readRequestParams({ method, url, headers, body })
    params = read instanceof Promise ? await read : read
  } catch (error) {
    const apiError = asBadRequest(error)
    if (apiError.code === 'PERSISTED_QUERY_NOT_FOUND') return errorResponse(apiError, type)
    return errorResponse(apiError, 'application/json', 400)
  }
  if (isResponse(params)) return params
  const operation = input.executor.prepare(params)
  if (operation.ok) {
    noteOperation(requester.request, operation)
    const start = { ...requester, operation }
    return rejectOperation(start, type, input.path) ?? start
  }
  noteCode(requester.request, operation.code)
  // GraphQL over HTTP recommends status 200 for application/json responses to well-formed requests, even if GraphQL
  // rejects the request.
  const isLegacy = operation.code === 'BAD_USER_INPUT' && type === 'application/json'
  return jsonResponse(isLegacy ? 200 : operation.status, type, { errors: operation.errors })
}

const isResponse = (found: object): found is Response => Array.isArray(found)

const notAcceptable: Response = [
  null,
  {
    status: 406,
    statusText: 'Not Acceptable',
    headers: { accept: 'application/graphql-response+json; charset=utf-8, application/json; charset=utf-8' },
  },
]

/** Returns an error response, or undefined if the route can run the operation. */
function rejectOperation<Viewer extends GraphqlViewer>(
  start: OperationStart<Viewer>,
  type: ResponseType,
  path: string,
): Response | undefined {
  const { request, operation } = start
  if (lacksViewer(start)) return errorResponse(credentialsNeeded(), type)
  if (operation.kind === 'subscription')
    return errorResponse(badInput(`this path does not serve subscriptions: send them to ${path}/stream`), type)
  if (operation.kind === 'mutation' && request.method !== 'POST') {
    const message = `a mutation cannot be sent by ${request.method}: use POST`
    return errorResponse(badInput(message), type, 405, { allow: 'POST' })
  }
  return undefined
}

async function run<Viewer extends GraphqlViewer>(
  input: GraphqlRouteInput<Viewer>,
  start: OperationStart<Viewer>,
  type: ResponseType,
): Promise<Response> {
  const result = await runOperation(input, start)
  const isChange = start.operation.kind === 'mutation'
  return isUnavailable(result)
    ? jsonResponse(503, type, result, { headers: { 'retry-after': '1' } })
    : jsonResponse(200, type, result, { isChange })
}

/**
 * Checks whether every root field failed with UNAVAILABLE and no error has the outcome `done`. The response then has
 * status 503, because proxies and clients use the status to decide whether to retry.
 */
function isUnavailable({ data, errors = [] }: FormattedExecutionResult): boolean {
  if (errors.length === 0 || errors.some((error) => error.extensions?.code !== 'UNAVAILABLE' || isOutcomeDone(error)))
    return false
  const failed = new Set(errors.map(({ path }) => path?.[0]))
  return Object.entries(data ?? {}).every(([field, value]) => value === null && failed.has(field))
}
