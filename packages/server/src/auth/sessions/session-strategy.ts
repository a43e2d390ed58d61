import type { FastifyInstance, FastifyRequest } from 'fastify'
import { sessionError } from '../authentication-reasons.ts'
import type { Strategy } from '../strategy.ts'
import { isFromConsole } from './same-origin.ts'
import type { SessionCookie } from './session-cookie.ts'
import { SESSION_SECONDS, type Sessions, viewerOf } from './sessions.ts'

export interface SessionStrategyOptions {
  sessions: Sessions
  cookie: SessionCookie
  publicUrl: string | undefined
}

/** The strategy accepts a session only on these routes. The routes under /auth read the cookie themselves. */
const PATHS: readonly (string | undefined)[] = ['/graphql/v1', '/graphql/v1/stream']

const setCookies = new WeakMap<FastifyRequest, string[]>()

export function sessionStrategy({ sessions, cookie, publicUrl }: SessionStrategyOptions): Strategy {
  return async (request) => {
    const token = cookie.read(request.headers.cookie)
    if (token === undefined || request.method !== 'POST' || !PATHS.includes(request.routeOptions.url)) return null
    if (!isFromConsole(request, publicUrl)) return null
    const session = token === null ? undefined : await sessions.find(token)
    if (session === undefined) {
      setCookies.set(request, cookie.clear())
      throw sessionError('session-ended')
    }
    // A stream writes its headers itself and cannot set the cookie, so only other requests renew the session.
    const isStream = request.routeOptions.url === '/graphql/v1/stream'
    if (!isStream && (await sessions.renew(session))) {
      setCookies.set(request, cookie.set(session.token, SESSION_SECONDS))
    }
    return viewerOf(session, await sessions.chooseAccount(session, namedAccount(request)))
  }
}

const namedAccount = ({ headers }: FastifyRequest): string | undefined => headers['muster-account']?.toString()

/** Extends cookies of renewed sessions, and clears cookies of ended sessions. Must run before routes are registered. */
export function registerSessionCookies(app: FastifyInstance): void {
  app.addHook('onSend', (request, reply, _payload, done) => {
    const header = setCookies.get(request)
    if (header !== undefined) reply.header('set-cookie', header)
    done()
  })
}
