/** What the process ends with, and what each means: the one table, for the help of every command and for the docs. */
export const exitCodeTable = {
  ok: [0, 'done'],
  failed: [1, 'failed'],
  usage: [2, 'wrong usage, or no credentials found'],
  partly: [3, 'some items were refused, the others are done'],
  notFound: [4, 'no such thing among yours'],
  refused: [5, 'the credentials do not hold, or may not do this'],
  notNow: [6, 'the server is not reachable or cannot serve now; the same command may work later'],
  conflict: [7, 'it contradicts what is there'],
  outcomeUnknown: [8, 'the connection broke during a change, which may be made or not'],
  interrupted: [130, 'interrupted'],
} as const satisfies Readonly<Record<string, readonly [code: number, meaning: string]>>

type ExitName = keyof typeof exitCodeTable

export const exitCodes = Object.fromEntries(Object.entries(exitCodeTable).map(([name, [code]]) => [name, code])) as {
  readonly [Name in ExitName]: (typeof exitCodeTable)[Name][0]
}

export type ExitCode = (typeof exitCodes)[ExitName]

/** A failure told to the user in one sentence, with what to do next. */
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
