import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { ExecutionResult, FormattedExecutionResult } from 'graphql'
import type { RequestParams, Response } from 'graphql-http'
import { ApiError, badInput } from '../errors.ts'
import { noteCode, noteOperation } from '../http/outcome.ts'
import { errorAnswer } from './answer.ts'
import { formatApiError, formatResult, toApiError } from './error-mapping.ts'
import { type EventStream, openEventStream } from './event-stream.ts'
import type { PreparedOperation, RefusedOperation } from './execute.ts'
import type { GraphqlRouteInput } from './http-route.ts'
import { readRequestParams } from './request-params.ts'
import { errorMapping, type GraphqlViewer, identify, type Requester } from './run-operation.ts'
import { prepareScope, send } from './scope.ts'

export interface StreamRouteInput<Viewer extends GraphqlViewer> extends Omit<GraphqlRouteInput<Viewer>, 'sdl'> {
  /**
   * Counts the viewer's stream in, or throws LIMIT_EXCEEDED. `end` is called when it may go on no longer; what is
   * returned, when it has ended by itself.
   */
  readonly admit: (viewer: Viewer, end: (reason: ApiError) => void) => () => void
  /** What is called after each event that a stream sends; resolves once the next may be sent. */
  readonly chargeEvents: (requester: Requester<Viewer>) => () => Promise<void> | undefined
  /** Runs when the server is asked to stop, and ends the streams. */
  readonly endAll: (reason: ApiError) => void
}

type Refused = Pick<RefusedOperation, 'ok' | 'errors'>

type Results = AsyncGenerator<ExecutionResult, void, void>

/** Serves subscriptions over Server-Sent Events, by GraphQL over SSE in distinct connections mode. */
export function registerStreamRoute<Viewer extends GraphqlViewer>(
  app: FastifyInstance,
  input: StreamRouteInput<Viewer>,
): void {
  app.register(async (scope) => {
    prepareScope(scope, (request) => errorMapping(input, request))
    const open = new Set<Promise<void>>()
    scope.addHook('preClose', async () => {
      input.endAll(new ApiError('UNAVAILABLE', 'the server is stopping: subscribe again, after the last event seen'))
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
          throw new ApiError('UNAUTHENTICATED', 'a subscription needs a signed request', { reason: 'missing' })
        const refused = (): void => input.onRefused?.({ request, reply, viewer }, body.length + request.url.length)
        const params = await readParams(request, body).catch((error: unknown) => {
          refused()
          throw error
        })
        if (!('query' in params)) {
          refused()
          return send(reply, params)
        }
        const operation = prepare(input, params)
        if (!operation.ok) refused()
        const settle = operation.ok ? await input.beforeOperation?.({ request, reply, viewer, operation }) : undefined
        settle?.(null)
        const served = serve(input, { request, reply, viewer, operation })
        open.add(served)
        return served.finally(() => open.delete(served))
      },
    })
  })
}

/** The GraphQL request, or the answer where there is none. */
async function readParams(request: FastifyRequest, body: Buffer): Promise<RequestParams | Response> {
  const { method, url, headers } = request
  if (!takesEvents(headers.accept))
    return errorAnswer(badInput('subscriptions are answered as text/event-stream: accept it'), 'application/json', 406)
  try {
    const params = await readRequestParams({ method, url, headers, body })
    if ('query' in params) return params
    return errorAnswer(badInput('send the request as application/json in UTF-8'), 'application/json', params[1].status)
  } catch (error) {
    if (error instanceof ApiError) throw error
    throw badInput(`the request is not a GraphQL one: ${(error as Error).message}`)
  }
}

const takesEvents = (accept = '*/*'): boolean => /text\/event-stream|text\/\*|\*\/\*/i.test(accept)

/** What is wrong with a document is told in the stream: clients of the protocol show no other answer's body. */
function prepare<Viewer extends GraphqlViewer>(
  { executor, path }: StreamRouteInput<Viewer>,
  params: RequestParams,
): PreparedOperation | Refused {
  const operation = executor.prepare(params)
  if (!operation.ok || operation.kind === 'subscription') return operation
  const message = `only subscriptions are served here: send a ${operation.kind} to ${path.replace(/\/[^/]*$/, '')}`
  return { ok: false, errors: [formatApiError(badInput(message))] }
}

interface Subscribing<Viewer> {
  request: FastifyRequest
  reply: FastifyReply
  viewer: Viewer
  operation: PreparedOperation | Refused
}

async function serve<Viewer extends GraphqlViewer>(
  input: StreamRouteInput<Viewer>,
  { request, reply, viewer, operation }: Subscribing<Viewer>,
): Promise<void> {
  const begin = (): EventStream => {
    reply.hijack()
    return openEventStream(reply.raw, headersOf(reply))
  }
  if (!operation.ok) {
    noteCode(request, operation.errors[0]?.extensions?.code)
    return begin().complete({ errors: operation.errors })
  }
  noteOperation(request, 'subscription', operation.name)

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
      const refused = formatResult(outcome, errorMapping(input, request))
      assertAvailable(refused)
      noteCode(request, refused.errors?.[0]?.extensions?.code)
      stream = begin()
      return stream.complete(refused)
    }
    stream = begin()
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
    const told = toApiError(error, errorMapping(input, request))
    if (stream === undefined && told.code === 'UNAVAILABLE') throw told
    noteCode(request, told.code)
    stream ??= begin()
    stream.complete({ errors: [formatApiError(told)] })
  } finally {
    release?.()
  }
}

/** What is true of the server and not of the request has its status, by which clients and proxies try again. */
function assertAvailable({ errors = [] }: FormattedExecutionResult): void {
  const away = errors.find(({ extensions }) => extensions?.code === 'UNAVAILABLE')
  if (away !== undefined) throw new ApiError('UNAVAILABLE', away.message, { retryAfter: 1 })
}

/** Those set so far, as Node takes them. */
const headersOf = (reply: FastifyReply): Record<string, string> =>
  Object.fromEntries(Object.entries(reply.getHeaders()).map(([name, value]) => [name, String(value)]))
