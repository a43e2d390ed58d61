import { CliError } from './cli-error.ts'

/** Explains why a file with secrets was not written. `option` is the option that names another file. */
export function unwritable(file: string, error: unknown, { what, option }: { what: string; option: string }): CliError {
  const { code, message } = error as NodeJS.ErrnoException
  if (code === 'EEXIST') return new CliError(`${file} already exists`, { hint: `Name another file with ${option}.` })
  return new CliError(`cannot write ${what}: ${message}`)
}
