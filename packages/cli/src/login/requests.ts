import { CliError } from '../errors/cli-error.ts'
import { exitCodes } from '../errors/exit-codes.ts'
import { fetchFailure } from '../server/fetch-text.ts'

export interface Started {
  deviceCode: string
  userCode: string
  verificationUrl: string
  /** Seconds until the request expires. */
  expiresIn: number
  /** The minimum number of seconds between two polls. */
  interval: number
}

/**
 * Starts a sign-in. The browser returns to `port` on this machine. `port` is undefined if the browser may be on another
 * machine.
 */
export async function startSignIn(
  url: string,
  request: { publicKey: string; machine: string; port: number | undefined },
): Promise<Started> {
  const { status, body } = await send(`${url}/auth/cli/start`, request)
  if (status === 200) return body as unknown as Started
  if (status === 404)
    throw new CliError(`cannot find a Muster server that supports "muster login" at ${url}`, {
      hint: 'Check the URL. If it is correct, upgrade the server.',
    })
  throw failure(status, body)
}

/**
 * Returns the new access key's ID and account after the user allows the request. Returns `pending` until then, or if
 * the code is wrong. Returns `busy` if the server cannot respond now, so the caller must send the same code again.
 * Rejects if the request was denied or has expired, or if polling fails otherwise.
 */
export async function poll(
  url: string,
  { deviceCode }: Pick<Started, 'deviceCode'>,
  code?: string,
): Promise<{ key: string; account: string } | 'pending' | 'busy'> {
  const { status, body } = await send(`${url}/auth/cli/poll`, { deviceCode, code })
  if (status === 200) return body as { key: string; account: string }
  if (status === 202) return 'pending'
  if (status === 429 || status === 503) return 'busy'
  if (status !== 410) throw failure(status, body)
  const what = body.status === 'denied' ? 'was denied' : 'expired after ten minutes'
  throw new CliError(`the sign-in request ${what}`, {
    hint: 'To try again, run "muster login".',
    exitCode: exitCodes.refused,
  })
}

type Body = Record<string, unknown> & { errors?: { message?: string }[] }

async function send(url: string, request: object): Promise<{ status: number; body: Body }> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify(request),
      redirect: 'error',
    })
    return { status: response.status, body: ((await response.json().catch(() => ({}))) ?? {}) as Body }
  } catch (error) {
    throw new CliError(`cannot reach ${new URL(url).origin}: ${fetchFailure(error)}`, {
      hint: 'Check the URL, and check that the server is running.',
      exitCode: exitCodes.notNow,
    })
  }
}

function failure(status: number, { errors }: Body): CliError {
  const message = errors?.[0]?.message
  if (message !== undefined) return new CliError(message)
  return new CliError(`the server responded with status ${status}`, {
    hint: 'Check the URL, any proxy in front of the server, and the server log.',
  })
}
