import { api } from '../../app/paths.ts'
import { sessionHeaders } from '../../graphql/session-headers.ts'

export class AuthError extends Error {
  readonly code: string
  /** Reason code of the error, such as `wrong-password`, `wrong-code`, or `no-session`. */
  readonly reason: string | undefined
  /** Seconds until the server accepts another attempt. */
  readonly retryAfter: number | undefined

  constructor(message: string, { code, reason, retryAfter }: { code: string; reason?: string; retryAfter?: number }) {
    super(message)
    this.name = 'AuthError'
    this.code = code
    this.reason = reason
    this.retryAfter = retryAfter
  }
}

let changes: Promise<unknown> = Promise.resolve()

/**
 * Resolves when the calls that are now in flight and can replace the session have ended. Until then, the server may
 * reject other requests, because they still use the old session.
 */
export const sessionChanges = (): Promise<unknown> => changes

export function post<Result>(path: string, body: object = {}): Promise<Result> {
  const result = call<Result>(path, {
    method: 'POST',
    headers: { ...sessionHeaders, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  changes = Promise.allSettled([changes, result])
  return result
}

export const get = <Result>(path: string): Promise<Result> => call(path, { headers: sessionHeaders })

async function call<Result>(path: string, init: RequestInit): Promise<Result> {
  const response = await fetch(`${api.auth}${path}`, { ...init, credentials: 'same-origin', cache: 'no-store' })
  const body: unknown = await response.json().catch(() => undefined)
  if (response.ok && body !== undefined) return body as Result
  throw errorOf(body, response.status)
}

interface ErrorBody {
  errors?: { message: string; extensions: { code: string; reason?: string; retryAfter?: number } }[]
}

function errorOf(body: unknown, status: number): AuthError {
  const error = (body as ErrorBody | undefined)?.errors?.[0]
  if (error !== undefined) return new AuthError(error.message, error.extensions)
  const message = `the response with status ${status} is not from Muster: check any proxy in front of the server`
  return new AuthError(message, { code: 'UNAVAILABLE' })
}
