import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ExecutionResult, FormattedExecutionResult } from 'graphql'
import { ApiError, signInRequired } from '../errors.ts'
import { noteCode } from '../http/request-outcome.ts'
import type { DocumentNeeds, OperationUse } from './access/needed-permissions.ts'
import { withoutOwnChanges } from './access/own-changes.ts'
import { type Caller, isChangeRejected, rejectionOfDocument } from './access/rejection.ts'
import { markOutcomeDone } from './change-made.ts'
import { type ErrorMappingInput, formatResult, toApiError } from './error-mapping.ts'
import type { PreparedOperation, RootField } from './prepare-operation.ts'

export interface GraphqlViewer extends Caller {
  /** The kind of sign-in that the account requires. Omitted if the viewer's sign-in meets the account's policy. */
  readonly requiredSignIn?: 'SECOND_FACTOR' | 'SSO'
}

export interface Requester<Viewer> {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly viewer: Viewer | null
}

export interface OperationStart<Viewer> extends Requester<Viewer> {
  readonly operation: PreparedOperation
}

/** A context for an operation that reads from a database other than the primary. */
export interface AlternativeContext {
  readonly contextValue: unknown
  /** If this function returns true, the result is unusable, and the operation runs again on the primary database. */
  readonly failed: (result: ExecutionResult) => boolean
}

/**
 * Runs a mutation at most once for an Idempotency-Key. `execute` runs the mutation in a context, and its changes are
 * committed only if the result contains no errors. `fail` returns the response for an unexpected error.
 */
export type RunOnce<Viewer> = (
  start: OperationStart<Viewer>,
  run: {
    context: unknown
    execute: (context: unknown) => Promise<FormattedExecutionResult>
    fail: (error: unknown) => FormattedExecutionResult
  },
) => Promise<FormattedExecutionResult>

/**
 * Receives the data that the operation read. The data is null for a subscription or a rejected mutation, and undefined
 * if part of the operation failed.
 */
export type AfterOperation = ((read: FormattedExecutionResult['data']) => void) | undefined

export interface OperationHooks<Viewer extends GraphqlViewer> {
  /**
   * Runs before the other hooks, with the body as received. Returns null if the request has no credentials. Throws
   * UNAUTHENTICATED for invalid credentials, and RATE_LIMITED after too many failed attempts. Throws FORBIDDEN if the
   * signed-in person is not a member of the account that the request names.
   */
  readonly authenticate: (request: FastifyRequest, rawBody: Buffer) => Promise<Viewer | null>
  /**
   * Runs after authentication and before parsing, even if the credentials are invalid. May throw RATE_LIMITED or
   * UNAVAILABLE.
   */
  readonly beforeRequest?: (requester: Requester<Viewer>) => void
  /**
   * Runs when a route rejects a request's parameters or document, or an operation that the route does not serve. The
   * GraphQL route also calls this hook if an operation needs credentials but the request has none. `bytes` is the total
   * length of the body and the URL.
   */
  readonly onRejected?: (requester: Requester<Viewer>, bytes: number) => void
  readonly buildContext: (request: FastifyRequest, viewer: Viewer | null, kind: PreparedOperation['kind']) => unknown
  /** Returns the context for a query that reads from another database, or undefined to read from the primary. */
  readonly chooseContext?: (start: OperationStart<Viewer>) => Promise<AlternativeContext | undefined>
  /**
   * Waits until enough memory is available for the operation's response. Throws RATE_LIMITED if the caller does not
   * read earlier responses, or UNAVAILABLE if the client has disconnected. Runs after the check of permissions, and
   * before the operation is charged.
   */
  readonly reserveResponse?: (start: OperationStart<Viewer>) => Promise<void> | undefined
  /** Runs before the operation. May throw RATE_LIMITED or LIMIT_EXCEEDED. May return a function that runs afterward. */
  readonly beforeOperation?: (start: OperationStart<Viewer>) => AfterOperation | Promise<AfterOperation>
  readonly around?:
    | ((
        operation: PreparedOperation,
        run: () => Promise<FormattedExecutionResult>,
      ) => Promise<FormattedExecutionResult>)
    | undefined
  /** If omitted, the server ignores Idempotency-Key headers. */
  readonly runOnce?: RunOnce<Viewer> | undefined
  /** Counts the use of fields. Also runs if the caller's permissions or restriction reject the operation. */
  readonly countUse?: ((viewer: Viewer, use: OperationUse) => void) | undefined
  /** Returns whether a mutation changes only the caller's own data, and so needs no permission. */
  readonly isOwnChange?: ((viewer: Viewer, mutation: RootField) => boolean) | undefined
  readonly onInternal: (error: unknown, request: FastifyRequest) => void
  readonly classify?: ErrorMappingInput['classify']
}

/**
 * Returns the viewer, or null if the request has no credentials. Runs `beforeRequest` even if `authenticate` throws an
 * ApiError.
 */
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

export const lacksViewer = <Viewer>({
  viewer,
  operation,
}: Pick<OperationStart<Viewer>, 'viewer' | 'operation'>): boolean => viewer === null && !operation.isPublic

export const credentialsNeeded = (): ApiError =>
  new ApiError('UNAUTHENTICATED', 'this operation needs an access key or a session: sign the request or sign in', {
    reason: 'missing',
  })

/**
 * Call this before the document runs. Returns the document's needs, or throws FORBIDDEN if the viewer's permissions or
 * restriction exclude a field. Without a viewer, or for a mutation with a read-only key, checks nothing and returns
 * undefined.
 */
export function assertPermitted<Viewer extends GraphqlViewer>(
  { countUse, isOwnChange }: Pick<OperationHooks<Viewer>, 'countUse' | 'isOwnChange'>,
  { viewer, operation }: Pick<OperationStart<Viewer>, 'viewer' | 'operation'>,
): DocumentNeeds | undefined {
  // For a read-only key, the message names no permission, because no permission would allow the mutation.
  if (viewer === null || isChangeRejected(viewer, operation.kind)) return undefined
  const all = operation.needs()
  if (rejectionOfDocument(viewer, all) === undefined) return all
  const needs = withoutOwnChanges(all, operation.rootFields(), (mutation) => isOwnChange?.(viewer, mutation) === true)
  const rejection = rejectionOfDocument(viewer, needs)
  if (rejection === undefined) return needs
  const rejected = new Set(rejection.fields)
  countUse?.(viewer, { needs, rejected: (field) => rejected.has(field), isRejected: true })
  const isLacking = rejection.missing.length > 0
  throw isLacking && viewer.requiredSignIn !== undefined ? signInRequired(viewer.requiredSignIn) : rejection.error
}

export async function runOperation<Viewer extends GraphqlViewer>(
  hooks: OperationHooks<Viewer>,
  start: OperationStart<Viewer>,
): Promise<FormattedExecutionResult> {
  const { request, viewer, operation } = start
  if (lacksViewer(start)) throw credentialsNeeded()
  const needs = assertPermitted(hooks, start)
  const reserved = hooks.reserveResponse?.(start)
  if (reserved !== undefined) await reserved
  const charged = hooks.beforeOperation?.(start)
  const afterOperation = charged instanceof Promise ? await charged : charged
  let result: FormattedExecutionResult
  let read: FormattedExecutionResult['data']
  try {
    if (viewer !== null && isChangeRejected(viewer, operation.kind)) {
      const message = 'this access key is read-only: use another key for mutations'
      result = operation.reject(new ApiError('FORBIDDEN', message))
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
  if (needs !== undefined && viewer !== null) hooks.countUse?.(viewer, { needs, ...rejectionIn(result, operation) })
  return result
}

/** Returns a member `rejected` that checks whether a field failed with FORBIDDEN, or undefined if no field did. */
function rejectionIn(
  { errors = [] }: FormattedExecutionResult,
  operation: PreparedOperation,
): Pick<OperationUse, 'rejected'> | undefined {
  const paths = errors.flatMap(({ extensions, path }) =>
    extensions?.code === 'FORBIDDEN' && path !== undefined ? [path] : [],
  )
  if (paths.length === 0) return undefined
  const fields = new Set(paths.map((path) => operation.fieldAt(path)))
  return { rejected: (field) => fields.has(field) }
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
