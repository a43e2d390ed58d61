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

/** A context in which an operation reads another database than the primary one. */
export interface AlternativeContext {
  readonly contextValue: unknown
  /** Whether the result is unusable. The operation then runs again on the primary database. */
  readonly failed: (result: ExecutionResult) => boolean
}

/**
 * Runs a mutation that came with an Idempotency-Key. `execute` runs it in a context; the change is committed only if the result
 * has no errors. `fail` returns the response if the code around the mutation fails.
 */
export type RunOnce<Viewer> = (
  start: OperationStart<Viewer>,
  run: {
    context: unknown
    execute: (context: unknown) => Promise<FormattedExecutionResult>
    fail: (error: unknown) => FormattedExecutionResult
  },
) => Promise<FormattedExecutionResult>

/** Receives the data that was read, or undefined if a part of the operation failed. */
export type AfterOperation = ((read: FormattedExecutionResult['data']) => void) | undefined

/** Functions that run before and after every operation, for every protocol. */
export interface OperationHooks<Viewer extends GraphqlViewer> {
  /**
   * Returns the viewer, or null without credentials. Throws UNAUTHENTICATED for invalid ones. Runs first, over the body as
   * received.
   */
  readonly authenticate: (request: FastifyRequest, rawBody: Buffer) => Promise<Viewer | null>
  /** Runs for every request once the caller is known, before the request is parsed. May throw RATE_LIMITED. */
  readonly beforeRequest?: (requester: Requester<Viewer>) => void
  /** Runs for every request that is rejected for its content, with the bytes that were read. */
  readonly onRejected?: (requester: Requester<Viewer>, bytes: number) => void
  readonly buildContext: (request: FastifyRequest, viewer: Viewer | null, kind: PreparedOperation['kind']) => unknown
  /** Returns a context for the whole query, so that its parts are consistent, or undefined for the primary database. */
  readonly chooseContext?: (start: OperationStart<Viewer>) => Promise<AlternativeContext | undefined>
  /**
   * Waits until there is memory for the response to an operation; throws RATE_LIMITED when that takes too long. Runs before
   * anything else.
   */
  readonly reserveResponse?: (start: OperationStart<Viewer>) => Promise<void> | undefined
  /**
   * Runs before every operation, and may throw RATE_LIMITED or LIMIT_EXCEEDED. Returns a function that runs after the operation
   * and receives the data that was read, or undefined if a part failed, because more may have been read than the response
   * shows.
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
  { authenticate, beforeRequest }: Pick<OperationHooks<Viewer>, 'authenticate' | 'beforeRequest'>,
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
  hooks: OperationHooks<Viewer>,
  start: OperationStart<Viewer>,
): Promise<FormattedExecutionResult> {
  const { request, viewer, operation } = start
  if (lacksViewer(start)) throw signedRequestNeeded()
  const reserved = hooks.reserveResponse?.(start)
  if (reserved !== undefined) await reserved
  const afterOperation = await hooks.beforeOperation?.(start)
  let result: FormattedExecutionResult
  let read: FormattedExecutionResult['data']
  try {
    if (operation.kind === 'mutation' && viewer?.readOnly) {
      result = operation.reject(new ApiError('FORBIDDEN', 'this access key is read-only and cannot change anything'))
      read = null
    } else {
      const run = () => runAllowed(hooks, start)
      result = await (hooks.around === undefined ? run() : hooks.around(operation, run))
      if (result.errors === undefined) read = result.data
    }
  } finally {
    afterOperation?.(read)
  }
  if (result.errors !== undefined) noteCode(request, result.errors[0]?.extensions?.code)
  return result
}

async function runAllowed<Viewer extends GraphqlViewer>(
  hooks: OperationHooks<Viewer>,
  start: OperationStart<Viewer>,
): Promise<FormattedExecutionResult> {
  const { request, operation } = start
  if (operation.kind !== 'mutation') return formatResult(await execute(hooks, start), errorMapping(hooks, request))
  if (hooks.runOnce !== undefined && request.headers['idempotency-key'] !== undefined)
    return runOnce(hooks, hooks.runOnce, start)
  return markOutcomeDone(formatResult(await execute(hooks, start), errorMapping(hooks, request)))
}

function runOnce<Viewer extends GraphqlViewer>(
  hooks: OperationHooks<Viewer>,
  run: RunOnce<Viewer>,
  start: OperationStart<Viewer>,
): Promise<FormattedExecutionResult> {
  const { request, viewer, operation } = start
  const mapping = { ...errorMapping(hooks, request), isUndone: true }
  return run(start, {
    context: hooks.buildContext(request, viewer, operation.kind),
    execute: async (contextValue) => formatResult(await operation.execute({ contextValue }), mapping),
    fail: (error) => operation.reject(toApiError(error, mapping)),
  })
}

async function execute<Viewer extends GraphqlViewer>(
  hooks: OperationHooks<Viewer>,
  start: OperationStart<Viewer>,
): Promise<ExecutionResult> {
  const { request, viewer, operation } = start
  const isRead = operation.kind === 'query'
  const alternative = isRead && hooks.chooseContext !== undefined ? await hooks.chooseContext(start) : undefined
  if (alternative !== undefined) {
    const result = await operation.execute(alternative)
    if (!alternative.failed(result)) return result
  }
  return operation.execute({ contextValue: hooks.buildContext(request, viewer, operation.kind) })
}

export const errorMapping = <Viewer extends GraphqlViewer>(
  { onInternal, classify }: Pick<OperationHooks<Viewer>, 'onInternal' | 'classify'>,
  request: FastifyRequest,
): ErrorMappingInput => ({ requestId: request.id, onInternal: (error) => onInternal(error, request), classify })
