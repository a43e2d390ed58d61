import { ConfigError } from '../config.ts'
import { EmbeddedError } from '../db/embedded/embedded-error.ts'
import { StartError } from '../start-error.ts'

/** What to print of what stopped a server: the message alone where it was written to be read, the whole error otherwise. */
export function failureText(error: unknown): string {
  const kinds = [StartError, ConfigError, EmbeddedError]
  if (kinds.some((kind) => error instanceof kind)) return (error as Error).message
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
