import type { FormattedExecutionResult, GraphQLFormattedError } from 'graphql'

/**
 * A mutation that failed changed nothing, or so its callers take it. Where the change is made and something fails that was read for the
 * answer, its errors say so: `extensions.outcome` is `done`.
 */
export const MADE = { outcome: 'done' } as const

/** Thrown where a change is made, and reading it for the answer failed. */
export class ChangeMadeError extends Error {
  constructor(cause: unknown) {
    super('a change that was made could not be read', { cause })
    this.name = 'ChangeMadeError'
  }
}

/** Reads what a change has made. */
export async function readMade<Made>(read: () => Promise<Made>): Promise<Made> {
  try {
    return await read()
  } catch (error) {
    throw new ChangeMadeError(error)
  }
}

/** Of a mutation: what fails below a field of the root was read once that field had made its change. */
export function tellMade({ errors, ...rest }: FormattedExecutionResult): FormattedExecutionResult {
  return errors === undefined ? rest : { errors: errors.map(withOutcome), ...rest }
}

const withOutcome = (error: GraphQLFormattedError): GraphQLFormattedError =>
  error.path === undefined || error.path.length < 2 ? error : { ...error, extensions: { ...error.extensions, ...MADE } }

export const isMade = ({ extensions }: GraphQLFormattedError): boolean => extensions?.outcome === MADE.outcome
