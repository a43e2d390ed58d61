import { CliError, exitCodes, usageError } from './cli-error.ts'

const PATIENCE_MS = 10_000

export interface Fetched {
  status: number
  text: string
  headers: Headers
}

/** What a server answers to everybody, without a signature. */
export async function fetchText(server: string, path: string): Promise<Fetched> {
  if (!/^https?:\/\//.test(server) || !URL.canParse(server)) {
    throw usageError(`${JSON.stringify(server)} is no http or https address`)
  }
  const url = `${new URL(server).href.replace(/\/+$/, '')}${path}`
  try {
    const response = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(PATIENCE_MS) })
    return { status: response.status, text: await response.text(), headers: response.headers }
  } catch (error) {
    const { cause, message } = error as Error
    throw new CliError(`cannot reach ${url}: ${reasonOf(cause) ?? message}`, {
      hint: 'Is the server running? "muster serve" starts it.',
      exitCode: exitCodes.notNow,
    })
  }
}

function reasonOf(cause: unknown): string | undefined {
  if (!(cause instanceof Error)) return undefined
  return cause.message || String((cause as NodeJS.ErrnoException).code)
}
