import type { CliError } from '../errors/cli-error.ts'
import { fetchFailure } from './fetch-text.ts'

/** Yields the parts of a file as they arrive. Throws the error that `toError` returns for the reason of a failure. */
export async function* download(url: string, toError: (reason: string) => CliError): AsyncGenerator<Uint8Array> {
  const response = await fetch(url).catch((error: unknown) => {
    throw toError(fetchFailure(error))
  })
  if (!response.ok || response.body === null) throw toError(`the server responded with status ${response.status}`)
  try {
    yield* response.body
  } catch (error) {
    throw toError(fetchFailure(error))
  }
}
