import { type ExitCode, exitCodes } from './exit-codes.ts'

/** A failure with a message for the user and an optional hint about the next step. */
export class CliError extends Error {
  readonly hint: string | undefined
  readonly exitCode: ExitCode

  constructor(message: string, { hint, exitCode = exitCodes.failed }: { hint?: string; exitCode?: ExitCode } = {}) {
    super(message)
    this.name = 'CliError'
    this.hint = hint
    this.exitCode = exitCode
  }
}

export const usageError = (message: string, hint?: string): CliError =>
  new CliError(message, { exitCode: exitCodes.usage, ...(hint === undefined ? {} : { hint }) })
