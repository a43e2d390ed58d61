import { CliError } from './cli-error.ts'

/** Why a file with secrets was not written. `option`: by which another one is named. */
export function unwritable(file: string, error: unknown, { what, option }: { what: string; option: string }): CliError {
  const { code, message } = error as NodeJS.ErrnoException
  if (code === 'EEXIST') return new CliError(`${file} is there already`, { hint: `Name another file with ${option}.` })
  return new CliError(`${what} cannot be written: ${message}`)
}
