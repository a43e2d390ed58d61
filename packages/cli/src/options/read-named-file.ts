import { readFile } from 'node:fs/promises'
import { usageError } from '../errors/cli-error.ts'

/** Reads a text file that the user specified. `what` describes its content in the error, such as `the document`. */
export const readNamedFile = (path: string, what: string): Promise<string> =>
  readFile(path, 'utf8').catch((error: Error) => {
    throw usageError(`cannot read ${what}: ${error.message}`)
  })
