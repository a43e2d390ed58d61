import { errorOf, OutcomeUnknownError } from '../errors.ts'
import type { CallOptions } from '../types.ts'
import type { GraphQLResponse } from './attempt.ts'
import { effectOfCall, type Operation } from './transport.ts'

/**
 * Returns the `data` of a response, or throws its error. `UNAVAILABLE` with `data` means that the database became
 * unavailable during the operation, so the outcome of a mutation is unknown. With the outcome `done`, the mutation made
 * its change, and only reading the result failed.
 */
export function dataOf(response: GraphQLResponse, operation: Operation, options: CallOptions): unknown {
  const { errors = [], ...details } = response
  if (errors.length === 0) return response.data
  const error = errorOf(errors, details)
  const lost = errors.find(({ extensions }) => extensions?.code === 'UNAVAILABLE' && extensions.outcome !== 'done')
  if (lost === undefined || !('data' in response) || effectOfCall(operation, options) === 'none') throw error
  throw new OutcomeUnknownError('OUTCOME_UNKNOWN', `${lost.message}; the mutation may have run`, {
    ...details,
    errors,
    cause: error,
  })
}
