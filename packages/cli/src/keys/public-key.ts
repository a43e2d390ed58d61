import { readFile } from 'node:fs/promises'
import { usageError } from '../errors/cli-error.ts'

export const readPublicKey = (file: string): Promise<string> =>
  readFile(file, 'utf8').catch((error: Error) => {
    throw usageError(`cannot read the public key: ${error.message}`)
  })
