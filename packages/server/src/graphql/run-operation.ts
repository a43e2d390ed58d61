import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ExecutionResult, FormattedExecutionResult } from 'graphql'
import { ApiError } from '../errors.ts'
import { noteCode } from '../http/outcome.ts'
import { markOutcomeDone } from './change-made.ts'
import { type ErrorMappingInput, formatResult, toApiError } from './error-mapping.ts'
import type { PreparedOperation } from './execute.ts'

/** The properties of a viewer that this folder needs. */
export interface GraphqlViewer {
  /** Whether every mutation is FORBIDDEN. */
  readonly readOnly: boolean
}

/** A request and its caller. */
export interface Requester<Viewer> {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly viewer: Viewer | null
}

/** An operation that is about to run. */
export interface OperationStart<Viewer> extends Requester<Viewer> {
  readonly operation: PreparedOperation
}

export interface Elsewhere {
  readonly contextValue: unknown
  /** Whether the result is unusable. The operation then runs again on the primary database. */
  readonly failed: (result: ExecutionResult) => boolean
}

/**
 * Runs a mutation that came with an Idempotency-Key. `execute` runs it in a context; the change lasts only if the result has no
 * errors. `fail` is the response to a failure of what runs around it.
 */
export type RunOnce<Viewer> = (
  start: OperationStart<Viewer>,
  run: {
    context: unknown
    execute: (context: unknown) => Promise<FormattedExecutionResult>
    fail: (error: unknown) => FormattedExecutionResult
  },
) => Promise<FormattedExecutionResult>

/** Gets the data that was read, or undefined if a part of the operation failed. */
export type AfterOperation = ((read: FormattedExecutionResult['data']) => void) | undefined

/** What runs before and after every operation, for every protocol. */
export interface OperationGates<Viewer extends GraphqlViewer> {
  /** Returns the viewer, or null without credentials. Throws UNAUTHENTICATED for invalid ones. Runs first, over the body as received. */
  readonly authenticate: (request: FastifyRequest, rawBody: Buffer) => Promise<Viewer | null>
  /** Runs for every request once the caller is known, before the request is parsed. May throw RATE_LIMITED. */
  readonly beforeRequest?: (requester: Requester<Viewer>) => void
  /** Runs for every request that is rejected for its content, with the bytes that were read. */
  readonly onRejected?: (requester: Requester<Viewer>, bytes: number) => void
  readonly buildContext: (request: FastifyRequest, viewer: Viewer | null, kind: PreparedOperation['kind']) => unknown
  /** Returns where a whole operation may read instead, so that its parts are consistent; undefined for the primary database. */
  readonly readElsewhere?: (start: OperationStart<Viewer>) => Promise<Elsewhere | undefined>
  /** Waits until there is memory for the response to an operation; throws RATE_LIMITED when that takes too long. Runs before anything else. */
  readonly reserveResponse?: (start: OperationStart<Viewer>) => Promise<void> | undefined
  /**
   * Runs before every operation, and may throw RATE_LIMITED or LIMIT_EXCEEDED. It returns what runs after the operation, and
   * gets the data that was read, or undefined if a part failed: more may have been read then than the response shows.
   */
  readonly beforeOperation?: (start: OperationStart<Viewer>) => AfterOperation | Promise<AfterOperation>
  /** Wraps an operation while it runs. */
  readonly around?:
    | ((
        operation: PreparedOperation,
        run: () => Promise<FormattedExecutionResult>,
      ) => Promise<FormattedExecutionResult>)
    | undefined
  /** Without it, an Idempotency-Key is ignored. */
  readonly runOnce?: RunOnce<Viewer> | undefined
  readonly onInternal: (error: unknown, request: FastifyRequest) => void
  readonly classify?: ErrorMappingInput['classify']
}

/** Returns the viewer. A caller with invalid credentials is charged as an unknown one before the error is thrown. */
export async function identify<Viewer extends GraphqlViewer>(
  { authenticate, beforeRequest }: Pick<OperationGates<Viewer>, 'authenticate' | 'beforeRequest'>,
  { request, reply }: Pick<Requester<Viewer>, 'request' | 'reply'>,
  rawBody: Buffer,
): Promise<Viewer | null> {
  let viewer: Viewer | null
  try {
    viewer = await authenticate(request, rawBody)
  } catch (error) {
    if (error instanceof ApiError) beforeRequest?.({ request, reply, viewer: null })
    throw error
  }
  beforeRequest?.({ request, reply, viewer })
  return viewer
}

/** Whether there is no viewer for an operation that needs one. */
export const lacksViewer = <Viewer>({
  viewer,
  operation,
}: Pick<OperationStart<Viewer>, 'viewer' | 'operation'>): boolean => viewer === null && !operation.isPublic

export const signedRequestNeeded = (): ApiError =>
  new ApiError('UNAUTHENTICATED', 'this operation needs a signed request', { reason: 'missing' })

/** Runs a query or mutation if its viewer may do so. Errors in the result are formatted for the response. */
export async function runOperation<Viewer extends GraphqlViewer>(
  gates: OperationGates<Viewer>,
  start: OperationStart<Viewer>,
): Promise<FormattedExecutionResult> {
  const { request, viewer, operation } = start
  if (lacksViewer(start)) throw signedRequestNeeded()
  const reserved = gates.reserveResponse?.(start)
  if (reserved !== undefined) await reserved
  const afterOperation = await gates.beforeOperation?.(start)
  let result: FormattedExecutionResult
  let read: FormattedExecutionResult['data']
  try {
    if (operation.kind === 'mutation' && viewer?.readOnly) {
      result = operation.refuse(new ApiError('FORBIDDEN', 'this access key is read-only and cannot change anything'))
      read = null
    } else {
      const run = () => runAllowed(gates, start)
      result = await (gates.around === undefined ? run() : gates.around(operation, run))
      if (result.errors === undefined) read = result.data
    }
  } finally {
    afterOperation?.(read)
  }
  if (result.errors !== undefined) noteCode(request, result.errors[0]?.extensions?.code)
  return result
}

async function runAllowed<Viewer extends GraphqlViewer>(
  gates: OperationGates<Viewer>,
  start: OperationStart<Viewer>,
): Promise<FormattedExecutionResult> {
  const { request, operation } = start
  if (operation.kind !== 'mutation') return formatResult(await execute(gates, start), errorMapping(gates, request))
  if (gates.runOnce !== undefined && request.headers['idempotency-key'] !== undefined)
    return runOnce(gates, gates.runOnce, start)
  return markOutcomeDone(formatResult(await execute(gates, start), errorMapping(gates, request)))
}

function runOnce<Viewer extends GraphqlViewer>(
  gates: OperationGates<Viewer>,
  run: RunOnce<Viewer>,
  start: OperationStart<Viewer>,
): Promise<FormattedExecutionResult> {
  const { request, viewer, operation } = start
  const mapping = { ...errorMapping(gates, request), isUndone: true }
  return run(start, {
    context: gates.buildContext(request, viewer, operation.kind),
    execute: async (contextValue) => formatResult(await operation.execute({ contextValue }), mapping),
    fail: (error) => operation.refuse(toApiError(error, mapping)),
  })
}

async function execute<Viewer extends GraphqlViewer>(
  gates: OperationGates<Viewer>,
  start: OperationStart<Viewer>,
): Promise<ExecutionResult> {
  const { request, viewer, operation } = start
  const isRead = operation.kind === 'query'
  const elsewhere = isRead && gates.readElsewhere !== undefined ? await gates.readElsewhere(start) : undefined
  if (elsewhere !== undefined) {
    const result = await operation.execute(elsewhere)
    if (!elsewhere.failed(result)) return result
  }
  return operation.execute({ contextValue: gates.buildContext(request, viewer, operation.kind) })
}

export const errorMapping = <Viewer extends GraphqlViewer>(
  { onInternal, classify }: Pick<OperationGates<Viewer>, 'onInternal' | 'classify'>,
  request: FastifyRequest,
): ErrorMappingInput => ({ requestId: request.id, onInternal: (error) => onInternal(error, request), classify })
