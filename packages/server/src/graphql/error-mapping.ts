import { type ExecutionResult, type FormattedExecutionResult, GraphQLError, type GraphQLFormattedError } from 'graphql'
import { isDatabaseFull, isDatabaseSlow, isDatabaseUnavailable, isOutcomeUnknown } from '../db/database-errors.ts'
import { ApiError, type ErrorCode, errorCodes } from '../errors.ts'
import { ChangeMadeError, OUTCOME_DONE } from './change-made.ts'

/** The maximum length of an error message, in characters. Messages of graphql-js quote the input, which may be long. */
const messageLength = 500

export interface ErrorMappingInput {
  /** Whether the server rolls back a change if reading it for the response fails. */
  readonly isUndone?: boolean
  readonly requestId: string
  /** Receives each error of an unknown kind, which the response reports as INTERNAL. */
  readonly onInternal: (error: unknown) => void
  /** Maps further kinds of errors to an ApiError. Returns undefined for other errors. */
  readonly classify?: ((error: unknown) => ApiError | undefined) | undefined
}

/** Formats an error of an invalid request. Errors from graphql-js become BAD_USER_INPUT. */
export function formatBadRequest(error: GraphQLError | ApiError): GraphQLFormattedError {
  if (error instanceof ApiError) return formatApiError(error)
  const { locations } = error
  return {
    message: clip(error.message),
    ...(locations && locations.length > 0 && { locations }),
    extensions: { code: 'BAD_USER_INPUT' satisfies ErrorCode },
  }
}

export function formatApiError(error: ApiError): GraphQLFormattedError {
  return { message: clip(error.message), extensions: { ...error.details, code: error.code } }
}

export function formatResult(result: ExecutionResult, input: ErrorMappingInput): FormattedExecutionResult {
  if (!result.errors) return { data: result.data ?? null }
  return { errors: result.errors.map((error) => formatExecutionError(error, input)), data: result.data ?? null }
}

function formatExecutionError(error: GraphQLError, input: ErrorMappingInput): GraphQLFormattedError {
  const { message, extensions } = formatApiError(toApiError(causeOf(error), input))
  const { locations, path } = error
  return { message, ...(locations && { locations }), ...(path && { path }), ...(extensions && { extensions }) }
}

export function toApiError(error: unknown, input: ErrorMappingInput): ApiError {
  if (error instanceof ApiError) return error
  if (error instanceof ChangeMadeError) {
    const cause = toApiError(error.cause, input)
    if (input.isUndone) return cause
    const { code, message, details } = cause
    return new ApiError(
      code,
      `the change was made (do not repeat it), but reading it for the response failed: ${message}`,
      { ...details, ...OUTCOME_DONE },
    )
  }
  const classified = input.classify?.(error)
  if (classified) return classified
  if (isOutcomeUnknown(error))
    return new ApiError('UNAVAILABLE', 'the connection to the database was lost: check whether the change was made', {
      retryAfter: 1,
      outcome: 'unknown',
    })
  if (isDatabaseUnavailable(error))
    return new ApiError('UNAVAILABLE', 'the server cannot reach the database; retry in 1 second', { retryAfter: 1 })
  if (isDatabaseFull(error))
    return new ApiError('UNAVAILABLE', 'the disk of the database is full; retry after space has been freed', {
      retryAfter: 60,
    })
  if (isDatabaseSlow(error))
    return new ApiError('UNAVAILABLE', 'the database took too long to respond; request less data, or retry later', {
      retryAfter: 1,
    })
  if (error instanceof GraphQLError) {
    // At runtime, an error of a compiled operation has no extensions if it has no cause.
    const { code, ...details } = error.extensions ?? {}
    if (isErrorCode(code)) return new ApiError(code, error.message, details)
    if (isArgumentError(error)) return new ApiError('BAD_USER_INPUT', error.message)
  }
  input.onInternal(error)
  const { requestId } = input
  const message = `internal error: the server log contains the details, with the request ID ${requestId}`
  return new ApiError('INTERNAL', message, { requestId })
}

export function causeOf(error: unknown): unknown {
  let cause = error
  for (let layer = 0; layer < 10; layer += 1) {
    if (!(cause instanceof GraphQLError) || !cause.originalError) return cause
    cause = cause.originalError
  }
  return cause
}

const isErrorCode = (code: unknown): code is ErrorCode => typeof code === 'string' && Object.hasOwn(errorCodes, code)

/**
 * In graphql-js and in compiled operations, only messages about arguments start with `Argument "`. Errors about
 * serialization and required fields are the server's fault.
 */
const isArgumentError = ({ message }: GraphQLError): boolean => message.startsWith('Argument "')

const clip = (message: string): string =>
  message.length <= messageLength ? message : `${message.slice(0, messageLength).toWellFormed()}…`
