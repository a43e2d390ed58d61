import type { FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from '../errors.ts'
import type { Executor } from '../graphql/prepare-operation.ts'
import { type GraphqlViewer, identify, type OperationHooks, runOperation } from '../graphql/run-operation.ts'
import { noteCode } from '../http/request-outcome.ts'
import { bodyVariables } from './body-variables.ts'
import { type Operation, SELF } from './operation.ts'
import { assertNoQuery, queryVariables } from './query-variables.ts'
import { responseBody } from './response-body.ts'
import { sendErrors, sendResponse } from './send-response.ts'

export interface RestViewer extends GraphqlViewer {
  readonly accountId: string
  /** The access key that signed the request. Undefined for a browser session, which counts as an unsigned request. */
  readonly accessKey?: string
}

export interface RestInput<Viewer extends RestViewer> extends OperationHooks<Viewer> {
  readonly executor: Executor
}

export async function serve<Viewer extends RestViewer>(
  input: RestInput<Viewer>,
  operation: Operation,
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
): Promise<FastifyReply> {
  const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
  const viewer = await signer(input, { request, reply }, body)
  assertSigned(viewer, operation)
  const reportRejected = (): void => input.onRejected?.({ request, reply, viewer }, body.length + request.url.length)
  const names = request.params as Record<string, string>
  let given: Record<string, unknown>
  try {
    given = givenVariables(operation, request, body)
  } catch (error) {
    reportRejected()
    throw error
  }
  const variables = { ...given, ...names, [SELF]: viewer?.accountId }
  const prepared = input.executor.prepare({ query: operation.text, variables })
  if (!prepared.ok) {
    reportRejected()
    noteCode(request, prepared.code)
    return sendErrors(reply, prepared.errors)
  }
  const { data, errors } = await runOperation(input, { request, reply, viewer, operation: prepared })
  if (errors !== undefined) return sendErrors(reply, errors)
  return sendResponse(reply, operation, responseBody(data, operation, names))
}

/** Ignores browser sessions, because the REST API does not protect them from requests by other sites. */
async function signer<Viewer extends RestViewer>(
  input: RestInput<Viewer>,
  exchange: { request: FastifyRequest; reply: FastifyReply },
  body: Buffer,
): Promise<Viewer | null> {
  const viewer = await identify(input, exchange, body)
  return viewer?.accessKey === undefined ? null : viewer
}

function assertSigned(viewer: RestViewer | null, { route }: Operation): void {
  if (viewer === null && !route.isPublic)
    throw new ApiError('UNAUTHENTICATED', 'this route needs an access key: sign the request', {
      reason: 'missing',
    })
}

function givenVariables(operation: Operation, request: FastifyRequest, body: Buffer): Record<string, unknown> {
  const url = request.raw.url ?? ''
  if (!operation.isChange) return queryVariables(url, operation)
  assertNoQuery(url)
  return bodyVariables(body, request.headers['content-type'], operation)
}
