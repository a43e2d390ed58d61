import type { FormattedExecutionResult, GraphQLFormattedError } from 'graphql'

/**
 * Callers assume that a failed mutation changed nothing. If the change was made and reading it for the response fails, the
 * errors say so: `extensions.outcome` is `done`.
 */
export const OUTCOME_DONE = { outcome: 'done' } as const

/** Thrown if a change was made, but reading it for the response failed. */
export class ChangeMadeError extends Error {
  constructor(cause: unknown) {
    super('reading a change for the response failed', { cause })
    this.name = 'ChangeMadeError'
  }
}

/** Reads a change for the response. */
export async function readChange<Made>(read: () => Promise<Made>): Promise<Made> {
  try {
    return await read()
  } catch (error) {
    throw new ChangeMadeError(error)
  }
}

/** Marks the errors of a mutation below a root field: they were thrown after that field had made its change. */
export function markOutcomeDone({ errors, ...rest }: FormattedExecutionResult): FormattedExecutionResult {
  return errors === undefined ? rest : { errors: errors.map(withOutcome), ...rest }
}

const withOutcome = (error: GraphQLFormattedError): GraphQLFormattedError =>
  error.path === undefined || error.path.length < 2
    ? error
    : { ...error, extensions: { ...error.extensions, ...OUTCOME_DONE } }

export const isOutcomeDone = ({ extensions }: GraphQLFormattedError): boolean =>
  extensions?.outcome === OUTCOME_DONE.outcome
