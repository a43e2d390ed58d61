import type { FastifyBaseLogger, FastifyInstance, FastifyRequest } from 'fastify'
import type { Config } from '../../../config.ts'
import type { Database } from '../../../db/database.ts'
import { ApiError } from '../../../errors.ts'
import type { Requester } from '../../../graphql/run-operation.ts'
import { sendError } from '../../../http/error-responses.ts'
import { isHttps } from '../../../http/is-https.ts'
import { createRejectionLog, type LogRejection } from '../../../http/rejection-log.ts'
import { parseJsonBody, readFields } from '../../../lib/json-fields.ts'
import type { Viewer } from '../../../viewer.ts'
import { ssoError } from '../../authentication-reasons.ts'
import type { Secrets } from '../../secrets.ts'
import { accountCalls } from '../account-calls.ts'
import type { AuthCall, AuthDeps } from '../auth-call.ts'
import { commandLineCalls } from '../command-line/command-line-calls.ts'
import { registerCommandLineRoutes } from '../command-line/command-line-routes.ts'
import { createForward } from '../forward.ts'
import { passwordLinkCalls } from '../passwords/password-reset-link.ts'
import { CONSOLE_HEADER, isFromConsole } from '../same-origin.ts'
import { sessionCalls } from '../session-calls.ts'
import { type SessionCookie, sessionCookie } from '../session-cookie.ts'
import { createSessions, type Session, viewerOf } from '../sessions.ts'
import { ssoCalls } from '../single-sign-on/single-sign-on-calls.ts'
import { registerSsoRoutes } from '../single-sign-on/single-sign-on-routes.ts'
import type { SsoPeople } from '../single-sign-on/sso-people.ts'
import { createSignInAttempts } from './attempt-limits.ts'
import { confirmSignInCalls } from './confirm-sign-in.ts'
import { invitationCalls } from './invitation-calls.ts'
import { signInCalls } from './sign-in-calls.ts'
import { signInLinkCalls } from './sign-in-link.ts'
import { signInSecret } from './sign-in-secret.ts'

export interface SignInOptions
  extends Pick<
    AuthDeps,
    'onSignIn' | 'record' | 'onRecorded' | 'addressOf' | 'invitations' | 'commandLineKeys' | 'provider'
  > {
  people: SsoPeople
  /** Identifies and charges the caller. May throw RATE_LIMITED or UNAVAILABLE. */
  beforeRequest: (requester: Requester<Viewer>) => void
  db: Database
  secrets: Secrets
  config: Pick<Config, 'publicUrl' | 'tlsCert' | 'signIn' | 'oidcSession'>
  clock: () => Date
  log: FastifyBaseLogger
}

const BODY_BYTES = 64 * 1024

/** Registers the routes for sign-in. They expose only the functions of better-auth that the server uses. */
export function registerSignIn(
  app: FastifyInstance,
  { secrets, log, beforeRequest, people, ...options }: SignInOptions,
): void {
  const { db, config, clock, addressOf, provider } = options
  const running = new Set<Promise<void>>()
  const deps: AuthDeps = {
    ...options,
    inBackground(work) {
      const handled = work
        .catch((error: unknown) => log.error({ err: error }, 'cannot record a failed attempt to authenticate'))
        .finally(() => running.delete(handled))
      running.add(handled)
    },
    sessions: createSessions(db, clock),
    cookie: sessionCookieOf(secrets, config),
    attempts: createSignInAttempts(db, clock),
    forward: createForward({ db, config, addressOf, secrets, log }),
  }
  const logRejection = createRejectionLog(log, 'rejected a sign-in')
  app.register(async (scope) => {
    scope.addHook('onClose', async () => {
      await Promise.all(running)
    })
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: BODY_BYTES }, (_request, body, done) =>
      done(null, body),
    )
    scope.setErrorHandler((error, request, reply) => sendError(error, request, reply, BODY_BYTES))
    scope.addHook('onRequest', async (_request, reply) => {
      reply.header('cache-control', 'no-store')
    })
    const sso = { people, secrets, isSecure: isHttps(config), sessionMs: config.oidcSession }
    const calls = [
      ...signInCalls,
      ...invitationCalls,
      ...sessionCalls,
      ...accountCalls,
      ...confirmSignInCalls,
      ...signInLinkCalls,
      ...passwordLinkCalls,
      ...commandLineCalls,
    ]
    for (const call of [...calls, ...ssoCalls({ provider, secrets, isSecure: sso.isSecure })])
      registerCall(scope, call, { ...deps, beforeRequest, logRejection })
    registerCommandLineRoutes(scope, { ...deps, beforeRequest })
    registerSsoRoutes(scope, { ...deps, ...sso, beforeRequest, logRejection })
  })
}

export const sessionCookieOf = (secrets: Secrets, config: Pick<Config, 'publicUrl' | 'tlsCert'>): SessionCookie =>
  sessionCookie({ secret: () => signInSecret(secrets), isSecure: isHttps(config) })

type CallDeps = AuthDeps & Pick<SignInOptions, 'beforeRequest'> & { logRejection: LogRejection }

function registerCall(
  scope: FastifyInstance,
  call: AuthCall,
  { beforeRequest, logRejection, ...deps }: CallDeps,
): void {
  const { method, path, takes = [], usesPassword = false, handle } = call
  scope.route({
    method,
    url: `/auth${path}`,
    exposeHeadRoute: false,
    async handler(request, reply) {
      const isSameOrigin = isFromConsole(request, deps.config.publicUrl)
      // Ignore the session cookie of a request that does not come from the console.
      const session = isSameOrigin ? await findSession(request, deps) : undefined
      const cookies: string[] = []
      try {
        beforeRequest({ request, reply, viewer: session === undefined ? null : viewerOf(session) })
        if (!isSameOrigin) throw otherOrigin()
        if (usesPassword && deps.config.signIn === 'sso') throw ssoError('sso-only')
        const fields = readFields(method === 'GET' ? {} : parseJsonBody(bodyOf(request)), '', takes)
        const result = await handle({ ...deps, request, fields, session, cookies })
        if (cookies.length > 0) reply.header('set-cookie', cookies)
        return reply.send(result)
      } catch (error) {
        if (error instanceof ApiError)
          logRejection(String(error.details.reason ?? error.code), { path, address: deps.addressOf(request.raw) })
        throw error
      }
    },
  })
}

const bodyOf = ({ body }: FastifyRequest): Buffer => (Buffer.isBuffer(body) ? body : Buffer.alloc(0))

async function findSession({ headers }: FastifyRequest, { cookie, sessions }: AuthDeps): Promise<Session | undefined> {
  const token = cookie.read(headers.cookie)
  return token ? sessions.find(token) : undefined
}

function otherOrigin(): ApiError {
  const message = `the request does not come from this server's console: send it from a page on this server, with the header ${CONSOLE_HEADER}: 1, and send POST bodies as application/json`
  return new ApiError('FORBIDDEN', message, { reason: 'other-origin' })
}
