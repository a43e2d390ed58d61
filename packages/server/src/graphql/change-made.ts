import type { FormattedExecutionResult, GraphQLFormattedError } from 'graphql'

/**
 * Marks the errors of a mutation that made its change but could not return the result. Without `extensions.outcome`,
 * a caller may assume that a failed mutation changed nothing. Omits `retryAfter`, because a retry would repeat the
 * change.
 */
export const OUTCOME_DONE = { outcome: 'done', retryAfter: undefined } as const

/** Thrown by a mutation that made its change but failed to read the result for the response. */
export class ChangeMadeError extends Error {
  constructor(cause: unknown) {
    super('the change was made, but reading it for the response failed', { cause })
    this.name = 'ChangeMadeError'
  }
}

export async function readChange<Made>(read: () => Promise<Made>): Promise<Made> {
  try {
    return await read()
  } catch (error) {
    throw new ChangeMadeError(error)
  }
}

/** Marks a mutation's errors below a root field, because they occurred after the root field had made its change. */
export function markOutcomeDone({ errors, ...rest }: FormattedExecutionResult): FormattedExecutionResult {
  return errors === undefined ? rest : { errors: errors.map(withOutcome), ...rest }
}

const withOutcome = (error: GraphQLFormattedError): GraphQLFormattedError =>
  error.path === undefined || error.path.length < 2
    ? error
    : { ...error, extensions: { ...error.extensions, ...OUTCOME_DONE } }

export const isOutcomeDone = ({ extensions }: GraphQLFormattedError): boolean =>
  extensions?.outcome === OUTCOME_DONE.outcome
