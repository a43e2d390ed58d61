import { api } from '../../app/paths.ts'
import { sessionHeaders } from '../../graphql/session-headers.ts'

/** What the server answered when it refused; the message is fit to be shown. */
export class AuthError extends Error {
  readonly code: string
  /** `wrong-password`, `wrong-code`, `no-session` … */
  readonly reason: string | undefined
  /** Seconds until another try is taken. */
  readonly retryAfter: number | undefined

  constructor(message: string, { code, reason, retryAfter }: { code: string; reason?: string; retryAfter?: number }) {
    super(message)
    this.name = 'AuthError'
    this.code = code
    this.reason = reason
    this.retryAfter = retryAfter
  }
}

export const post = <Answer>(path: string, body: object = {}): Promise<Answer> =>
  call(path, {
    method: 'POST',
    headers: { ...sessionHeaders, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })

export const get = <Answer>(path: string): Promise<Answer> => call(path, { headers: sessionHeaders })

async function call<Answer>(path: string, init: RequestInit): Promise<Answer> {
  const response = await fetch(`${api.auth}${path}`, { ...init, credentials: 'same-origin', cache: 'no-store' })
  const answer: unknown = await response.json().catch(() => undefined)
  if (response.ok && answer !== undefined) return answer as Answer
  throw errorOf(answer, response.status)
}

interface ErrorAnswer {
  errors?: { message: string; extensions: { code: string; reason?: string; retryAfter?: number } }[]
}

function errorOf(answer: unknown, status: number): AuthError {
  const error = (answer as ErrorAnswer | undefined)?.errors?.[0]
  if (error !== undefined) return new AuthError(error.message, error.extensions)
  const message = `something other than Muster answered, with status ${status}: a proxy in front of it may have a fault`
  return new AuthError(message, { code: 'UNAVAILABLE' })
}
