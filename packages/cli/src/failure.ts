import { CliError, type ExitCode, exitCodes } from './cli-error.ts'
import { bold, red } from './colour.ts'

interface Meaning {
  exitCode: ExitCode
  hint?: string
}

/** What an error of the API or the client ends the process with, and what to do about it, by its code. */
const meanings: Readonly<Record<string, Meaning>> = {
  UNREACHABLE: {
    exitCode: exitCodes.notNow,
    hint: 'Is the server running? "muster serve" starts it; MUSTER_URL in the credentials file says where it is. "muster doctor" looks closer.',
  },
  UNAUTHENTICATED: {
    exitCode: exitCodes.refused,
    hint: 'Check the access key in the credentials file, and the clock of this machine: "muster doctor" does both.',
  },
  FORBIDDEN: { exitCode: exitCodes.refused, hint: 'The access key does not allow this. Use one that does.' },
  NOT_FOUND: { exitCode: exitCodes.notFound },
  CONFLICT: { exitCode: exitCodes.conflict },
  RATE_LIMITED: { exitCode: exitCodes.notNow, hint: 'Wait a moment and try again.' },
  UNAVAILABLE: {
    exitCode: exitCodes.notNow,
    hint: 'Try again in a moment; the log of the server says more.',
  },
  NO_ANSWER: { exitCode: exitCodes.notNow, hint: 'Nothing was changed; try again. "muster doctor" looks closer.' },
  OUTCOME_UNKNOWN: {
    exitCode: exitCodes.outcomeUnknown,
    hint: 'The change may have been made or not; look before you repeat it.',
  },
  BAD_ANSWER: { exitCode: exitCodes.failed, hint: 'Check MUSTER_URL in the credentials file.' },
  INTERNAL: { exitCode: exitCodes.failed, hint: 'The log of the server has the fault under the request id.' },
}

/** Errors without a code whose message is written for the user; anything else is a fault and shows its stack. */
const plainErrors: ReadonlySet<string> = new Set(['ConfigError', 'StartError'])

/** The package of the command line alone is without it. */
const noServer = {
  message: 'this command is part of the server, which is not installed here',
  hint: 'Run it in the folder of a checkout of Muster: npm ci, then node_modules/.bin/muster.',
}

interface Failure {
  code: string
  message: string
  hint?: string | undefined
  /** For the log of the server. */
  requestId?: string | undefined
}

/** Prints an error where errors go and returns the exit code for it. */
export function printFailure(error: unknown, { json }: { json: boolean }): number {
  const failure = describe(error)
  if (json) {
    console.error(JSON.stringify({ error: failure }))
  } else {
    console.error(`${red('muster:')} ${bold(failure.message)}`)
    if (failure.hint !== undefined) console.error(failure.hint)
    if (failure.code === 'INTERNAL' && failure.requestId !== undefined)
      console.error(`Request id: ${failure.requestId}`)
    if (failure.code === 'FAULT') console.error((error as Error).stack)
  }
  return exitCodeOf(error)
}

export function exitCodeOf(error: unknown): ExitCode {
  if (error instanceof CliError) return error.exitCode
  const { name, code } = (error ?? {}) as { name?: unknown; code?: unknown }
  if (name === 'CredentialsError') return exitCodes.usage
  return (typeof code === 'string' ? meanings[code]?.exitCode : undefined) ?? exitCodes.failed
}

export function describe(error: unknown): Failure {
  if (error instanceof CliError) {
    const code = error.exitCode === exitCodes.usage ? 'USAGE' : 'FAILED'
    return { code, message: error.message, hint: error.hint }
  }
  if (!(error instanceof Error)) return { code: 'FAULT', message: String(error) }
  // The client is not imported for its classes: a command that does without it starts sooner.
  const { code, message, requestId } = error as NodeJS.ErrnoException & { requestId?: unknown }
  // Those with a code are the API's, the file system's and the database's: their messages say what was tried.
  if (code === 'ERR_MODULE_NOT_FOUND' && message.includes("'@muster/server")) return { code: 'FAILED', ...noServer }
  if (typeof code === 'string') {
    const id = typeof requestId === 'string' ? requestId : undefined
    return { code, message: message || code, hint: meanings[code]?.hint, requestId: id }
  }
  return { code: plainErrors.has(error.name) ? 'FAILED' : 'FAULT', message }
}
