import type { FastifyBaseLogger, FastifyRequest } from 'fastify'
import type { Config } from '../../config.ts'
import type { Database } from '../../db/database.ts'
import { isHttps } from '../../http/is-https.ts'
import { boundedMap } from '../../lib/bounded-map.ts'
import type { AddressOf } from '../../lib/client-address.ts'
import { followMasterKey } from '../master-key/master-key.ts'
import type { Secrets } from '../secrets.ts'
import { ADDRESS_HEADER } from './address-header.ts'
import type { createBetterAuth } from './better-auth.ts'
import { reencryptTotp } from './reencrypt-totp.ts'
import { originOf } from './same-origin.ts'
import { fromBetterAuth, toBetterAuth } from './session-cookie.ts'
import { fromBetterAuthError } from './session-errors.ts'
import { signInSecret } from './sign-in/sign-in-secret.ts'
import { loadWebAuthn } from './webauthn.ts'

export interface Forwarded {
  result: Record<string, unknown>
  cookies: string[]
}

/** Forwards a call to better-auth. Throws an ApiError if better-auth rejects the call. */
export type Forward = (request: FastifyRequest, path: string, body?: object) => Promise<Forwarded>

export interface ForwardOptions {
  db: Database
  config: Pick<Config, 'publicUrl' | 'tlsCert'>
  addressOf: AddressOf
  secrets: Secrets
  log: FastifyBaseLogger
}

/** The maximum number of better-auth instances. A server without MUSTER_PUBLIC_URL needs one for each origin. */
const ORIGINS = 20

export function createForward({ db, config, addressOf, secrets, log }: ForwardOptions): Forward {
  const byOrigin = boundedMap<string, ReturnType<typeof createBetterAuth>>(ORIGINS)
  /** An instance of better-auth has a fixed secret and origin, so each combination needs a separate instance. */
  const authOf = async (origin: string): Promise<ReturnType<typeof createBetterAuth>> => {
    // better-auth is imported on first use, because it takes time and memory to load.
    const [{ createBetterAuth }] = await Promise.all([import('./better-auth.ts'), loadWebAuthn()])
    const secret = signInSecret(secrets)
    const key = `${secrets.checkValue} ${origin}`
    const auth = byOrigin.get(key) ?? createBetterAuth({ db, secret, origin, isSecure: isHttps(config), log })
    byOrigin.set(key, auth)
    return auth
  }

  return async (request, path, body) => {
    await followMasterKey(db, secrets)
    const origin = originOf(request, config.publicUrl)
    const headers = new Headers({ origin, [ADDRESS_HEADER]: addressOf(request.raw), 'user-agent': agentOf(request) })
    if (request.headers.cookie !== undefined) headers.set('cookie', toBetterAuth(request.headers.cookie))
    if (body !== undefined) headers.set('content-type', 'application/json')
    const send = async (): Promise<Response> => {
      const method = body === undefined ? 'GET' : 'POST'
      const init = { method, headers, ...(body && { body: JSON.stringify(body) }) }
      return (await authOf(origin)).handler(new Request(`${origin}/auth${path}`, init))
    }
    const response = await (path.startsWith('/two-factor/') ? retryAfterRotation({ db, secrets }, send) : send())
    const result = ((await response.json().catch(() => null)) ?? {}) as Record<string, unknown>
    if (!response.ok) throw fromBetterAuthError(path, response.status, result)
    return { result, cookies: fromBetterAuth(response.headers.getSetCookie()) }
  }
}

/**
 * A call during a master key rotation can encrypt data with the previous key, or fail because it decrypts data with the
 * wrong key. If the key changed during the call, this function re-encrypts the data of authenticator apps. If the call
 * failed with status 500 or higher, this function then retries the call.
 */
async function retryAfterRotation(
  { db, secrets }: Pick<ForwardOptions, 'db' | 'secrets'>,
  send: () => Promise<Response>,
): Promise<Response> {
  const { checkValue } = secrets
  const response = await send()
  await followMasterKey(db, secrets)
  if (secrets.checkValue === checkValue) return response
  await db.transaction().execute((transaction) => reencryptTotp(transaction, secrets))
  return response.status >= 500 ? send() : response
}

export const agentOf = ({ headers }: FastifyRequest): string =>
  (headers['user-agent'] ?? '').replace(/\p{Cc}/gu, ' ').slice(0, 300)
