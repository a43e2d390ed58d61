import type { GraphQLProblem } from '@muster/client'
import { bold, red } from '../terminal/color.ts'
import { CliError } from './cli-error.ts'
import { type ExitCode, exitCodes } from './exit-codes.ts'

interface Meaning {
  exitCode: ExitCode
  hint?: string
}

const meanings: Readonly<Record<string, Meaning>> = {
  UNREACHABLE: {
    exitCode: exitCodes.notNow,
    hint: 'If the server is not running, start it with "muster serve". If it is running, check MUSTER_URL in the environment and the credentials file, or run "muster doctor".',
  },
  UNAUTHENTICATED: {
    exitCode: exitCodes.refused,
    hint: 'To check the access key and this machine\'s clock, run "muster doctor".',
  },
  FORBIDDEN: {
    exitCode: exitCodes.refused,
    hint: 'Use an access key that allows this operation. Some operations require a person who is signed in to the console.',
  },
  NOT_FOUND: { exitCode: exitCodes.notFound },
  CONFLICT: { exitCode: exitCodes.conflict },
  RATE_LIMITED: {
    exitCode: exitCodes.notNow,
    hint: 'If the message says when to retry, wait until then. Otherwise, try again in a few seconds.',
  },
  UNAVAILABLE: {
    exitCode: exitCodes.notNow,
    hint: 'If the message says when to retry, wait until then. Otherwise, try again in a few seconds. If the error recurs, check the server log.',
  },
  NO_ANSWER: {
    exitCode: exitCodes.notNow,
    hint: 'The failed request changed nothing. Try again, or run "muster doctor".',
  },
  OUTCOME_UNKNOWN: {
    exitCode: exitCodes.outcomeUnknown,
    hint: 'The change may or may not have been made. Before you repeat it, check whether it was made.',
  },
  BAD_ANSWER: {
    exitCode: exitCodes.failed,
    hint: 'Check MUSTER_URL in the environment and the credentials file. A proxy may have responded instead of the server.',
  },
  INTERNAL: { exitCode: exitCodes.failed, hint: 'To find the error in the server log, search for the request ID.' },
}

/** Meanings of `extensions.outcome` of a failed mutation. They replace the meaning of the error's code. */
const outcomeMeanings: Readonly<Record<string, Meaning>> = {
  done: {
    exitCode: exitCodes.failed,
    hint: 'The change was made, but the server could not return the result. Do not repeat the change.',
  },
  unknown: meanings.OUTCOME_UNKNOWN!,
}

/**
 * Errors with these names, like CliErrors, contain a message for the user but no code. Other errors without a code are
 * bugs, and the CLI prints their stack trace.
 */
const plainErrors: ReadonlySet<string> = new Set(['BackupError', 'ConfigError', 'JobError', 'StartError'])

/** Explains why server commands fail in the published CLI package, which does not include the server. */
const noServer = {
  message: 'this command requires the server, which this package does not include',
  hint: 'In a checkout of Muster, run npm ci, and then run the command with node_modules/.bin/muster. In the folder of a release, run it with npx ./muster-server-VERSION.tgz.',
}

interface Failure {
  code: string
  message: string
  hint?: string | undefined
  requestId?: string | undefined
}

export function printFailure(error: unknown, { json }: { json: boolean }): number {
  const failure = describe(error)
  if (json) {
    console.error(JSON.stringify({ error: failure }))
  } else {
    console.error(`${red('muster:')} ${bold(failure.message)}`)
    if (failure.hint !== undefined) console.error(failure.hint)
    if (failure.code === 'INTERNAL' && failure.requestId !== undefined)
      console.error(`Request ID: ${failure.requestId}`)
    if (failure.code === 'FAULT') console.error((error as Error).stack)
  }
  return exitCodeOf(error)
}

export function exitCodeOf(error: unknown): ExitCode {
  if (error instanceof CliError) return error.exitCode
  const { name } = (error ?? {}) as { name?: unknown }
  if (name === 'CredentialsError') return exitCodes.usage
  return meaningOf(error)?.exitCode ?? exitCodes.failed
}

function meaningOf(error: unknown): Meaning | undefined {
  const { code, errors } = (error ?? {}) as { code?: unknown; errors?: unknown }
  if (typeof code !== 'string') return undefined
  const outcome = code === 'OUTCOME_UNKNOWN' ? 'unknown' : outcomeOf(errors)
  return (outcome === undefined ? undefined : outcomeMeanings[outcome]) ?? meanings[code]
}

/** Returns `unknown` if the outcome of any change is unknown. Otherwise, returns `done` if any change was made. */
function outcomeOf(errors: unknown): string | undefined {
  if (!Array.isArray(errors)) return undefined
  const outcomes = (errors as GraphQLProblem[]).map(({ extensions }) => extensions?.outcome)
  return ['unknown', 'done'].find((outcome) => outcomes.includes(outcome))
}

export function describe(error: unknown): Failure {
  if (error instanceof CliError) {
    const code = error.exitCode === exitCodes.usage ? 'USAGE' : 'FAILED'
    return { code, message: error.message, hint: error.hint }
  }
  if (!(error instanceof Error)) return { code: 'FAULT', message: String(error) }
  // Do not import the client's error classes, because commands that do not use the client start faster without them.
  const { code, message, requestId } = error as NodeJS.ErrnoException & { requestId?: unknown }
  if (code === 'ERR_MODULE_NOT_FOUND' && message.includes("'@muster/server")) return { code: 'FAILED', ...noServer }
  // Errors with a code, such as those of the API, the file system, and the database, describe the failure.
  if (typeof code === 'string') {
    const id = typeof requestId === 'string' ? requestId : undefined
    return { code, message: message || code, hint: meaningOf(error)?.hint, requestId: id }
  }
  return { code: plainErrors.has(error.name) ? 'FAILED' : 'FAULT', message }
}
