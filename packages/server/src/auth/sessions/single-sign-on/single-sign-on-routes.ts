import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from '../../../errors.ts'
import type { Requester } from '../../../graphql/run-operation.ts'
import type { LogRejection } from '../../../http/rejection-log.ts'
import type { Viewer } from '../../../viewer.ts'
import { ssoError } from '../../authentication-reasons.ts'
import { runAttempt } from '../audit/failed-attempts.ts'
import type { AuthDeps } from '../auth-call.ts'
import { attemptSubject } from '../sign-in/attempt-limits.ts'
import { hashToken } from '../tokens.ts'
import { endSessions } from './back-channel-logout.ts'
import type { Identity } from './identity.ts'
import type { Provider } from './provider.ts'
import { safePath } from './return-path.ts'
import { endAttempt, startAttempt } from './sso-attempts.ts'
import type { SsoPeople } from './sso-people.ts'
import { type SsoSessionDeps, startSession } from './sso-sessions.ts'

export interface SsoRouteDeps extends AuthDeps, Pick<SsoSessionDeps, 'secrets' | 'sessionMs'> {
  people: SsoPeople
  isSecure: boolean
  beforeRequest: (requester: Requester<Viewer>) => void
  logRejection: LogRejection
}

const TOKEN_LENGTH = 100

export function registerSsoRoutes(scope: FastifyInstance, deps: SsoRouteDeps): void {
  const { provider } = deps
  const page = (path: string, handle: (request: FastifyRequest, reply: FastifyReply) => Promise<void>): void => {
    scope.get(`/auth/sso/${path}`, { exposeHeadRoute: false }, async (request, reply) => {
      deps.beforeRequest({ request, reply, viewer: null })
      try {
        if (provider === undefined) throw ssoError('sso-unavailable')
        await handle(request, reply)
      } catch (error) {
        reply.redirect(`/sign-in?error=${reasonOf(deps, request, error)}`, 303)
      }
      return reply
    })
  }
  page('start', async (request, reply) => {
    await deps.attempts.count([attemptSubject.ssoStart(deps.addressOf(request.raw))])
    const { to, invitation } = request.query as Record<string, unknown>
    const isInvited = typeof invitation === 'string' && invitation.length <= TOKEN_LENGTH
    const invitationHash = isInvited ? hashToken(invitation) : null
    const { url, cookie } = await beginSignIn(deps, request, { returnTo: safePath(to), invitationHash, personId: null })
    reply.header('set-cookie', cookie).redirect(url, 302)
  })
  page('callback', async (request, reply) => {
    const { returnTo, cookies } = await finishSignIn(deps, provider!, request)
    if (cookies.length > 0) reply.header('set-cookie', cookies)
    reply.redirect(returnTo, 303)
  })
  scope.post('/auth/sso/backchannel-logout', async (request, reply) => {
    deps.beforeRequest({ request, reply, viewer: null })
    if (provider === undefined) return reply.code(501).send({ error: 'unsupported' })
    const subjects = [attemptSubject.logoutToken(deps.addressOf(request.raw))]
    await deps.attempts.count(subjects)
    const isValid = await endSessions(deps, provider, request)
    // The statuses are those of OpenID Connect Back-Channel Logout 1.0 §2.8.
    if (!isValid) return reply.code(400).send({ error: 'invalid_request' })
    await deps.attempts.forgive(subjects)
    return reply.code(200).send()
  })
}

export async function beginSignIn(
  deps: Pick<SsoRouteDeps, 'db' | 'clock' | 'isSecure' | 'provider'>,
  request: FastifyRequest,
  purpose: Parameters<typeof startAttempt>[2],
): Promise<{ url: string; cookie: string }> {
  if (deps.provider === undefined) throw ssoError('sso-unavailable')
  const { checks, cookie } = await startAttempt(deps, request, purpose)
  return { url: await deps.provider.authorizationUrl(checks), cookie }
}

async function finishSignIn(
  deps: SsoRouteDeps,
  provider: Provider,
  request: FastifyRequest,
): Promise<{ returnTo: string; cookies: string[] }> {
  let identity: Identity | undefined
  const subjects = [attemptSubject.address(deps.addressOf(request.raw))]
  const findUser = async () => identity && deps.people.findTarget(identity)
  return runAttempt({ ...deps, request }, { subjects, attempt: { method: 'single sign-on', findUser } }, async () => {
    const { attempt, checks } = await endAttempt(deps, request)
    const query = request.raw.url?.split('?')[1] ?? ''
    const verified = await provider.verify(query, checks)
    identity = verified.identity
    const { returnTo, personId, invitationHash } = attempt
    if (personId !== null) {
      await deps.people.link(identity, { ...attempt, personId })
      return { returnTo, cookies: [] }
    }
    const person = await deps.people.admit(identity, invitationHash)
    deps.onRecorded()
    return { returnTo, cookies: await startSession(deps, request, person, verified) }
  })
}

/** Logs neither the request's query string, which contains the authorization code, nor the provider's message. */
function reasonOf({ logRejection, addressOf }: SsoRouteDeps, request: FastifyRequest, error: unknown): string {
  if (!(error instanceof ApiError)) {
    request.log.error({ err: error }, 'single sign-on failed because of an internal error')
    return 'sso-failed'
  }
  const reason = error.code === 'RATE_LIMITED' ? 'rate-limited' : String(error.details.reason ?? 'sso-failed')
  const { cause } = error
  logRejection(reason, {
    path: request.routeOptions.url,
    address: addressOf(request.raw),
    ...(cause !== undefined && { cause }),
  })
  return reason
}
