import { type ExecutionResult, type FormattedExecutionResult, GraphQLError, type GraphQLFormattedError } from 'graphql'
import { isDatabaseAway, isDatabaseFull, isDatabaseSlow, isOutcomeLost } from '../db/database-away.ts'
import { ApiError, type ErrorCode, errorCodes } from '../errors.ts'
import { ChangeMadeError, MADE } from './change-made.ts'

/** Characters of a message that go out: GraphQL's own messages echo the input, and that may be a mebibyte. */
const messageLength = 500

export interface ErrorMappingInput {
  /** Whether a change is undone when reading it for the response fails. */
  readonly isUndone?: boolean
  readonly requestId: string
  /** Told of every error that goes out as INTERNAL, with the error that was thrown. */
  readonly onInternal: (error: unknown) => void
  /** What an error of a library means to a caller; undefined where it is none of its business. */
  readonly classify?: ((error: unknown) => ApiError | undefined) | undefined
}

/** An error of a request that is not executed, as it goes out: BAD_USER_INPUT where GraphQL itself found it. */
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

/** The answer of an execution, with errors as they go out. */
export function formatResult(result: ExecutionResult, input: ErrorMappingInput): FormattedExecutionResult {
  if (!result.errors) return { data: result.data ?? null }
  return { errors: result.errors.map((error) => formatExecutionError(error, input)), data: result.data ?? null }
}

function formatExecutionError(error: GraphQLError, input: ErrorMappingInput): GraphQLFormattedError {
  const { message, extensions } = formatApiError(toApiError(causeOf(error), input))
  const { locations, path } = error
  return { message, ...(locations && { locations }), ...(path && { path }), ...(extensions && { extensions }) }
}

/** Whatever was thrown, as an error for the caller. */
export function toApiError(error: unknown, input: ErrorMappingInput): ApiError {
  if (error instanceof ApiError) return error
  if (error instanceof ChangeMadeError) {
    const cause = toApiError(error.cause, input)
    if (input.isUndone) return cause
    const { code, message, details } = cause
    return new ApiError(code, `the change was made, but not read: ${message}`, { ...details, ...MADE })
  }
  const classified = input.classify?.(error)
  if (classified) return classified
  if (isOutcomeLost(error))
    return new ApiError('UNAVAILABLE', 'the database was lost on the way: look whether the change was made', {
      retryAfter: 1,
      outcome: 'unknown',
    })
  if (isDatabaseAway(error))
    return new ApiError('UNAVAILABLE', 'the database cannot be reached; try again in a moment', { retryAfter: 1 })
  if (isDatabaseFull(error))
    return new ApiError('UNAVAILABLE', 'the database has no room left on its disk: nothing was changed', {
      retryAfter: 60,
    })
  if (isDatabaseSlow(error))
    return new ApiError('UNAVAILABLE', 'the database took too long over this; ask for less, or try again later', {
      retryAfter: 1,
    })
  if (error instanceof GraphQLError) {
    // Errors of a compiled operation have no extensions where they have no cause, whatever their type says.
    const { code, ...details } = error.extensions ?? {}
    if (isErrorCode(code)) return new ApiError(code, error.message, details)
    if (isArgumentError(error)) return new ApiError('BAD_USER_INPUT', error.message)
  }
  input.onInternal(error)
  return new ApiError('INTERNAL', `something went wrong here; the log has it under request ${input.requestId}`, {
    requestId: input.requestId,
  })
}

/** What a resolver threw, below the layers that executors put around it. */
export function causeOf(error: unknown): unknown {
  let cause = error
  for (let layer = 0; layer < 10; layer += 1) {
    if (!(cause instanceof GraphQLError) || !cause.originalError) return cause
    cause = cause.originalError
  }
  return cause
}

const isErrorCode = (code: unknown): code is ErrorCode => typeof code === 'string' && Object.hasOwn(errorCodes, code)

/** Both executors word errors of arguments so; those of serialising and of null where it may not stand are the server's. */
const isArgumentError = ({ message }: GraphQLError): boolean => message.startsWith('Argument "')

const clip = (message: string): string =>
  message.length <= messageLength ? message : `${message.slice(0, messageLength).toWellFormed()}…`
