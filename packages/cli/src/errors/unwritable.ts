import { CliError } from './cli-error.ts'

/**
 * Returns the error to throw if a file for secrets cannot be written. `what` names the secrets, such as `the password`.
 * `option` is the option that accepts another file.
 */
export function unwritable(file: string, error: unknown, { what, option }: { what: string; option: string }): CliError {
  const { code, message } = error as NodeJS.ErrnoException
  if (code === 'EEXIST') return new CliError(`${file} already exists`, { hint: `Pass another file with ${option}.` })
  return new CliError(`cannot write ${what} to ${file}: ${message}`)
}
