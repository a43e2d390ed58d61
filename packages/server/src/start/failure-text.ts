import { ConfigError } from '../config.ts'
import { EmbeddedError } from '../db/embedded/embedded-error.ts'
import { StartError } from '../start-error.ts'

/**
 * Returns the text to print when the server fails. For an error that is written for operators, this is only its
 * message. For any other error, it is the stack.
 */
export function failureText(error: unknown): string {
  const kinds = [StartError, ConfigError, EmbeddedError]
  if (kinds.some((kind) => error instanceof kind)) return (error as Error).message
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
