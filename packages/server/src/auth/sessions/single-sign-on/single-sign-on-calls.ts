import type { Secrets } from '../../secrets.ts'
import { type AuthCall, defineCalls, signedIn } from '../auth-call.ts'
import { deleteSessions } from '../sessions.queries.ts'
import { viewerOf } from '../sessions.ts'
import { attemptSubject } from '../sign-in/attempt-limits.ts'
import { assertRecentSignIn } from '../sign-in/recent-sign-in.ts'
import type { Provider } from './provider.ts'
import { beginSignIn } from './single-sign-on-routes.ts'
import { endSessionUrl } from './sso-sessions.ts'

interface SsoCallOptions {
  provider: Provider | undefined
  secrets: Secrets
  isSecure: boolean
}

export const ssoCalls = ({ provider, secrets, isSecure }: SsoCallOptions): readonly AuthCall[] =>
  defineCalls({
    'GET /sign-in-options': {
      handle: async ({ config }) => ({
        password: config.signIn !== 'sso',
        singleSignOn: provider === undefined ? null : { name: provider.name },
      }),
    },
    'POST /sso/link': {
      handle: signedIn(async (call, session) => {
        // A linked identity remains after the session ends, so linking requires a recent sign-in.
        await assertRecentSignIn({ ...call, signIn: call.config.signIn }, viewerOf(session))
        await call.attempts.count([attemptSubject.ssoStart(call.addressOf(call.request.raw))])
        const purpose = { returnTo: '/account/security', invitationHash: null, personId: session.personId }
        const { url, cookie } = await beginSignIn({ ...call, isSecure }, call.request, purpose)
        call.cookies.push(cookie)
        return { redirect: url }
      }),
    },
    'POST /sign-out': {
      async handle({ db, session, cookie, cookies }) {
        cookies.push(...cookie.clear())
        if (session === undefined) return { signedIn: false }
        const redirect = provider && (await endSessionUrl({ db, secrets, provider }, session))
        await deleteSessions(db, session.personId, { id: session.id })
        return { signedIn: false, ...(redirect !== undefined && { redirect }) }
      },
    },
  })
