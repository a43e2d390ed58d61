import { dirname } from 'node:path'
import { createPrivateFile } from '@muster/server/lib/private-file.ts'
import { CliError } from '../errors/cli-error.ts'
import type { Installation } from '../installation/migrate-and-set-up.ts'

interface SecretFile {
  file: string
  text: string
  /** Names the secrets in errors, such as `the password`. */
  what: string
  /** The option that accepts another file. */
  option: string
}

/** Creates a file that only its owner can read. A file in the data folder belongs to the owner of the folder. */
export async function createSecretFile(
  { dataFolder }: Installation['config'],
  { file, text, what, option }: SecretFile,
): Promise<void> {
  const owner = dirname(file) === dataFolder ? 'folder' : 'root'
  await createPrivateFile(file, text, owner).catch(({ code, message }: NodeJS.ErrnoException) => {
    if (code === 'EEXIST') throw new CliError(`${file} already exists`, { hint: `Pass another file with ${option}.` })
    throw new CliError(`cannot write ${what} to ${file}: ${message}`)
  })
}
