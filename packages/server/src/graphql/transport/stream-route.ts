import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { ExecutionResult, FormattedExecutionResult } from 'graphql'
import type { RequestParams } from 'graphql-http'
import { ApiError, badInput } from '../../errors.ts'
import { noteCode, noteOperation } from '../../http/request-outcome.ts'
import { formatApiError, formatResult, toApiError } from '../error-mapping.ts'
import type { PreparedOperation, RejectedOperation } from '../prepare-operation.ts'
import { assertPermitted, errorMapping, type GraphqlViewer, identify, type Requester } from '../run-operation.ts'
import { type EventStream, openEventStream } from './event-stream.ts'
import type { GraphqlRouteInput } from './http-route.ts'
import { prepareScope, send } from './prepare-scope.ts'
import { asBadRequest, readRequestParams } from './request-params.ts'
import { errorResponse, type Response } from './response.ts'

export interface StreamRouteInput<Viewer extends GraphqlViewer> extends Omit<GraphqlRouteInput<Viewer>, 'sdl'> {
  /**
   * Counts the viewer's stream. Throws LIMIT_EXCEEDED if too many streams are open, or FORBIDDEN without an access key
   * or session. Calls `end` when the server must end the stream. The caller must call the returned function when the
   * stream has ended.
   */
  readonly admit: (viewer: Viewer, end: (reason: ApiError) => void) => () => void
  /**
   * Returns a function to call after each event. If that function returns a promise, the next event may be sent only
   * after the promise resolves.
   */
  readonly chargeEvents: (requester: Requester<Viewer>) => () => Promise<void> | undefined
  readonly endAll: (reason: ApiError) => void
}

type Rejected = Pick<RejectedOperation, 'ok' | 'errors'>

type Results = AsyncGenerator<ExecutionResult, void, void>

/** Serves subscriptions with GraphQL over SSE in distinct connections mode. */
export function registerStreamRoute<Viewer extends GraphqlViewer>(
  app: FastifyInstance,
  input: StreamRouteInput<Viewer>,
): void {
  app.register(async (scope) => {
    prepareScope(scope, (request) => errorMapping(input, request))
    const open = new Set<Promise<void>>()
    scope.addHook('preClose', async () => {
      input.endAll(
        new ApiError(
          'UNAVAILABLE',
          'the server is stopping: subscribe again, and set the argument after to the ID of the last event that you received',
        ),
      )
      await Promise.allSettled(open)
    })
    scope.route({
      method: ['GET', 'POST'],
      exposeHeadRoute: false,
      url: input.path,
      handler: async (request, reply) => {
        const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
        const viewer = await identify(input, { request, reply }, body)
        if (viewer === null)
          throw new ApiError(
            'UNAUTHENTICATED',
            'a subscription needs an access key or a session: sign the request or sign in',
            { reason: 'missing' },
          )
        const rejected = (): void => input.onRejected?.({ request, reply, viewer }, body.length + request.url.length)
        const params = await readParams(request, body).catch((error: unknown) => {
          rejected()
          throw error
        })
        if (!('query' in params)) {
          rejected()
          return send(reply, params)
        }
        const operation = prepare(input, params)
        const needs = operation.ok ? assertPermitted(input, { viewer, operation }) : undefined
        if (needs !== undefined) input.countUse?.(viewer, { needs })
        else rejected()
        const afterOperation = operation.ok
          ? await input.beforeOperation?.({ request, reply, viewer, operation })
          : undefined
        afterOperation?.(null)
        const served = serve(input, { request, reply, viewer, operation })
        open.add(served)
        return served.finally(() => open.delete(served))
      },
    })
  })
}

async function readParams(request: FastifyRequest, body: Buffer): Promise<RequestParams | Response> {
  const { method, url, headers } = request
  if (!acceptsEvents(headers.accept))
    return errorResponse(
      badInput('the Accept header of a subscription must include text/event-stream'),
      'application/json',
      406,
    )
  try {
    const params = await readRequestParams({ method, url, headers, body })
    if ('query' in params) return params
    return errorResponse(
      badInput('the Content-Type is not supported: send the request as application/json in UTF-8'),
      'application/json',
      params[1].status,
    )
  } catch (error) {
    throw asBadRequest(error)
  }
}

const acceptsEvents = (accept = '*/*'): boolean => /text\/event-stream|text\/\*|\*\/\*/i.test(accept)

/** The server sends a document's errors in the stream, because many clients do not show other response bodies. */
function prepare<Viewer extends GraphqlViewer>(
  { executor, path }: StreamRouteInput<Viewer>,
  params: RequestParams,
): PreparedOperation | Rejected {
  const operation = executor.prepare(params)
  if (!operation.ok || operation.kind === 'subscription') return operation
  const message = `this path serves only subscriptions: send a ${operation.kind} to ${path.replace(/\/[^/]*$/, '')}`
  return { ok: false, errors: [formatApiError(badInput(message))] }
}

async function serve<Viewer extends GraphqlViewer>(
  input: StreamRouteInput<Viewer>,
  start: Requester<Viewer> & { viewer: Viewer; operation: PreparedOperation | Rejected },
): Promise<void> {
  const { request, reply, viewer, operation } = start
  const begin = (): EventStream => {
    reply.hijack()
    return openEventStream(reply.raw, headersOf(reply))
  }
  if (!operation.ok) {
    noteCode(request, operation.errors[0]?.extensions?.code)
    return begin().complete({ errors: operation.errors })
  }
  noteOperation(request, { kind: 'subscription', name: operation.name, label: operation.label })

  let stream: EventStream | undefined
  let results: Results | undefined
  let ended: ApiError | undefined
  const end = (reason: ApiError): void => {
    ended = reason
    stream?.complete({ errors: [formatApiError(reason)] })
    void results?.return()
  }
  let release: (() => void) | undefined
  try {
    release = input.admit(viewer, end)
    const outcome = await operation.subscribe({ contextValue: input.buildContext(request, viewer, operation.kind) })
    if (!(Symbol.asyncIterator in outcome)) {
      const failure = formatResult(outcome, errorMapping(input, request))
      assertAvailable(failure)
      noteCode(request, failure.errors?.[0]?.extensions?.code)
      stream = begin()
      return stream.complete(failure)
    }
    stream = begin()
    stream.accept()
    results = outcome
    stream.closed.addEventListener('abort', () => void outcome.return())
    if (stream.closed.aborted) void outcome.return()
    if (ended !== undefined) end(ended)
    const charge = input.chargeEvents({ request, reply, viewer })
    for await (const result of outcome) {
      await stream.next(formatResult(result, errorMapping(input, request)))
      await charge()
    }
    stream.complete()
  } catch (error) {
    const mapped = toApiError(error, errorMapping(input, request))
    if (stream === undefined && mapped.code === 'UNAVAILABLE') throw mapped
    noteCode(request, mapped.code)
    stream ??= begin()
    stream.complete({ errors: [formatApiError(mapped)] })
  } finally {
    release?.()
  }
}

/** Throws UNAVAILABLE if an error has this code, because clients and proxies retry according to the status. */
function assertAvailable({ errors = [] }: FormattedExecutionResult): void {
  const failure = errors.find(({ extensions }) => extensions?.code === 'UNAVAILABLE')
  if (failure !== undefined) throw new ApiError('UNAVAILABLE', failure.message, { retryAfter: 1 })
}

const headersOf = (reply: FastifyReply): Record<string, string> =>
  Object.fromEntries(Object.entries(reply.getHeaders()).map(([name, value]) => [name, String(value)]))
