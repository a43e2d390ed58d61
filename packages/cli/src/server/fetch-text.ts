import { CliError, usageError } from '../errors/cli-error.ts'
import { exitCodes } from '../errors/exit-codes.ts'

const TIMEOUT_MS = 10_000

export interface Fetched {
  status: number
  text: string
  headers: Headers
}

export async function fetchText(server: string, path: string): Promise<Fetched> {
  if (!/^https?:\/\//.test(server) || !URL.canParse(server)) {
    throw usageError(
      `${JSON.stringify(server)} is not an http or https URL`,
      'Use a server URL such as https://muster.example.com.',
    )
  }
  const url = `${new URL(server).href.replace(/\/+$/, '')}${path}`
  try {
    const response = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(TIMEOUT_MS) })
    return { status: response.status, text: await response.text(), headers: response.headers }
  } catch (error) {
    throw new CliError(`cannot reach ${url}: ${fetchFailure(error)}`, {
      hint: 'If the server is not running, start it with "muster serve". If it is running, check the URL.',
      exitCode: exitCodes.notNow,
    })
  }
}

/** Returns the reason why `fetch` failed. Except for timeouts, the message of its error is only "fetch failed". */
export function fetchFailure(error: unknown): string {
  const { cause, message } = error as Error
  if (!(cause instanceof Error)) return message
  return cause.message || String((cause as NodeJS.ErrnoException).code)
}
