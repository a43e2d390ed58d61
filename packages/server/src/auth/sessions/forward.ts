import type { FastifyBaseLogger, FastifyRequest } from 'fastify'
import type { Config } from '../../config.ts'
import type { Database } from '../../db/database.ts'
import type { AddressOf } from '../../http/client-address.ts'
import { boundedMap } from '../bounded-map.ts'
import { ADDRESS_HEADER } from './address-header.ts'
import type { createBetterAuth } from './better-auth.ts'
import { toldRefusal } from './refusals.ts'
import { originOf } from './same-origin.ts'

export interface Forwarded {
  answer: Record<string, unknown>
  /** Set-Cookie headers. */
  cookies: string[]
}

/** Has better-auth do what is asked, with the cookies of the request; throws an ApiError where it refuses. */
export type Forward = (request: FastifyRequest, path: string, body?: object) => Promise<Forwarded>

export interface ForwardOptions {
  db: Database
  config: Pick<Config, 'publicUrl'>
  addressOf: AddressOf
  secret: string
  log: FastifyBaseLogger
}

/** A server without MUSTER_PUBLIC_URL is called by a few names at most. */
const ORIGINS = 20

export function createForward({ db, config, addressOf, secret, log }: ForwardOptions): Forward {
  const byOrigin = boundedMap<string, ReturnType<typeof createBetterAuth>>(ORIGINS)
  const authOf = async (origin: string): Promise<ReturnType<typeof createBetterAuth>> => {
    // Half a second and 60 MB that a server nobody signs in to does without.
    const { createBetterAuth } = await import('./better-auth.ts')
    const auth = byOrigin.get(origin) ?? createBetterAuth({ db, secret, origin, isSecure: isSecure(config), log })
    byOrigin.set(origin, auth)
    return auth
  }

  return async (request, path, body) => {
    const origin = originOf(request, config.publicUrl)
    const headers = new Headers({ origin, [ADDRESS_HEADER]: addressOf(request.raw), 'user-agent': agentOf(request) })
    if (request.headers.cookie !== undefined) headers.set('cookie', request.headers.cookie)
    if (body !== undefined) headers.set('content-type', 'application/json')
    const auth = await authOf(origin)
    const response = await auth.handler(
      new Request(`${origin}/auth${path}`, {
        method: body === undefined ? 'GET' : 'POST',
        headers,
        ...(body && { body: JSON.stringify(body) }),
      }),
    )
    const answer = ((await response.json().catch(() => null)) ?? {}) as Record<string, unknown>
    if (!response.ok) throw toldRefusal(path, response.status, answer)
    return { answer, cookies: response.headers.getSetCookie() }
  }
}

export const isSecure = ({ publicUrl }: Pick<Config, 'publicUrl'>): boolean => publicUrl?.startsWith('https:') === true

/** As much of it as is worth keeping. */
export const agentOf = ({ headers }: FastifyRequest): string => (headers['user-agent'] ?? '').slice(0, 300)
