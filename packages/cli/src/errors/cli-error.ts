import { type ExitCode, exitCodes } from './exit-codes.ts'

export class CliError extends Error {
  readonly hint: string | undefined
  readonly exitCode: ExitCode

  constructor(
    message: string,
    { hint, exitCode = exitCodes.failed }: { hint?: string | undefined; exitCode?: ExitCode } = {},
  ) {
    super(message)
    this.name = 'CliError'
    this.hint = hint
    this.exitCode = exitCode
  }
}

export const usageError = (message: string, hint?: string): CliError =>
  new CliError(message, { exitCode: exitCodes.usage, hint })
