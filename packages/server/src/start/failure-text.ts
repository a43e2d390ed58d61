import { ConfigError } from '../config.ts'
import { EmbeddedError } from '../db/embedded/embedded-error.ts'
import { StartError } from '../start-error.ts'

/** Returns the message of an error for operators, such as a StartError, or the stack trace of any other error. */
export function failureText(error: unknown): string {
  const kinds = [StartError, ConfigError, EmbeddedError]
  if (kinds.some((kind) => error instanceof kind)) return (error as Error).message
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
