import { bold, red } from '../terminal/color.ts'
import { CliError, type ExitCode, exitCodes } from './cli-error.ts'

interface Meaning {
  exitCode: ExitCode
  hint?: string
}

/** The exit code and the hint for each error code of the API and the client. */
const meanings: Readonly<Record<string, Meaning>> = {
  UNREACHABLE: {
    exitCode: exitCodes.notNow,
    hint: 'Is the server running? Start it with "muster serve". Check MUSTER_URL in the credentials file, or run "muster doctor".',
  },
  UNAUTHENTICATED: {
    exitCode: exitCodes.refused,
    hint: 'Check the access key in the credentials file and this machine\'s clock: run "muster doctor".',
  },
  FORBIDDEN: { exitCode: exitCodes.refused, hint: 'The access key does not allow this. Use another access key.' },
  NOT_FOUND: { exitCode: exitCodes.notFound },
  CONFLICT: { exitCode: exitCodes.conflict },
  RATE_LIMITED: { exitCode: exitCodes.notNow, hint: 'Wait a moment and try again.' },
  UNAVAILABLE: {
    exitCode: exitCodes.notNow,
    hint: 'Try again in a moment. The server log has details.',
  },
  NO_ANSWER: { exitCode: exitCodes.notNow, hint: 'Nothing was changed. Try again, or run "muster doctor".' },
  OUTCOME_UNKNOWN: {
    exitCode: exitCodes.outcomeUnknown,
    hint: 'The change may or may not have been made. Check before you repeat it.',
  },
  BAD_ANSWER: { exitCode: exitCodes.failed, hint: 'Check MUSTER_URL in the credentials file.' },
  INTERNAL: { exitCode: exitCodes.failed, hint: 'The server log has the error under the request id.' },
}

/**
 * Errors that have no code but a message for the user. Other errors without a code are bugs and print a stack trace.
 */
const plainErrors: ReadonlySet<string> = new Set(['ConfigError', 'StartError'])

/** The published CLI package does not include the server. */
const noServer = {
  message: 'this command needs the server, which is not installed here',
  hint: 'Run it in a checkout of Muster: npm ci, then node_modules/.bin/muster.',
}

interface Failure {
  code: string
  message: string
  hint?: string | undefined
  /** Identifies the request in the server log. */
  requestId?: string | undefined
}

/** Prints an error on standard error and returns its exit code. */
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
  // Does not import the client's error classes: commands that do not use the client start faster without it.
  const { code, message, requestId } = error as NodeJS.ErrnoException & { requestId?: unknown }
  // Errors with a code come from the API, the file system, or the database. Their messages describe the failure.
  if (code === 'ERR_MODULE_NOT_FOUND' && message.includes("'@muster/server")) return { code: 'FAILED', ...noServer }
  if (typeof code === 'string') {
    const id = typeof requestId === 'string' ? requestId : undefined
    return { code, message: message || code, hint: meanings[code]?.hint, requestId: id }
  }
  return { code: plainErrors.has(error.name) ? 'FAILED' : 'FAULT', message }
}
