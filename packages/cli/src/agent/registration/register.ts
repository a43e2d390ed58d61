import { CliError, usageError } from '../../errors/cli-error.ts'
import { exitCodes } from '../../errors/exit-codes.ts'
import { describeError } from '../connection/describe-error.ts'
import type { RunningService } from '../services/detect-services.ts'
import type { DeviceState } from '../state/device-file.ts'
import { type PostResponse, post } from './post.ts'
import { toRejection } from './rejection.ts'

export interface Registration {
  url: string
  code: string
  hardwareId: string
  name: string
  platform: string
  services: readonly RunningService[]
  present: Pick<DeviceState, 'deviceId' | 'secret'> | undefined
  ca: string[] | undefined
}

/** Thrown if a retry may succeed: the server is unreachable or unavailable, or limits the rate of requests. */
export class TryAgainError extends CliError {
  override readonly name = 'TryAgainError'

  constructor(message: string, { hint }: { hint?: string } = {}) {
    super(message, { exitCode: exitCodes.notNow, hint })
  }
}

/** A device that already exists keeps its ID and receives a new secret, if the server allows the registration. */
export async function register(registration: Registration): Promise<{ deviceId: string; secret: string }> {
  const { url, present, ca, ...body } = registration
  const response = await post({
    url: `${url.replace(/\/+$/, '')}/devices/v1/register`,
    body: { ...body, services: body.services.map(({ name, application, port }) => ({ name, application, port })) },
    device: present,
    ca,
  }).catch((error: unknown) => {
    throw new TryAgainError(`cannot reach ${url}: ${describeError(error)}`, {
      hint: 'Check that the URL is correct, that the server is running, and that its certificate is valid.',
    })
  })
  return readResponse(response, registration)
}

function readResponse({ status, body }: PostResponse, { url, hardwareId }: Registration) {
  const { deviceId, secret } = body ?? {}
  if (status === 200 && typeof deviceId === 'string' && typeof secret === 'string') return { deviceId, secret }
  const error = body?.errors?.[0]
  const code: unknown = error?.extensions?.code
  if (typeof code !== 'string') {
    const message = `the response from ${url} is not from Muster (HTTP ${status})`
    const hint =
      'Check the server URL, and check that the server is running. Another program, such as a proxy, may be responding at this URL.'
    // A proxy can also respond with 429 or 5xx, for example with 502 while the server restarts.
    if (status === 429 || status >= 500) throw new TryAgainError(message, { hint })
    throw usageError(message, hint)
  }
  if (code === 'RATE_LIMITED' || code === 'UNAVAILABLE' || status >= 500) throw new TryAgainError(error.message)
  throw toRejection({ code, reason: error.extensions.reason, message: error.message }, hardwareId)
}
