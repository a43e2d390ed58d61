import { ConfigError } from '../config.ts'
import { EmbeddedError } from '../db/embedded/embedded-error.ts'
import { StartError } from '../start-error.ts'

/**
 * The text to print when the server fails: only the message for errors that are written for operators, and the stack
 * for all others.
 */
export function failureText(error: unknown): string {
  const kinds = [StartError, ConfigError, EmbeddedError]
  if (kinds.some((kind) => error instanceof kind)) return (error as Error).message
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
