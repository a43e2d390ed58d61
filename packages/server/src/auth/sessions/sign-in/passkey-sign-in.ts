import { findUserOfPasskey } from '../audit/attempted-user.queries.ts'
import { runAttempt } from '../audit/failed-attempts.ts'
import { type AuthRequest, defineCalls } from '../auth-call.ts'
import { attemptSubject } from './attempt-limits.ts'
import { addCookies, completeSignIn } from './complete-sign-in.ts'

export const passkeySignInCalls = defineCalls({
  'GET /passkey/generate-authenticate-options': {
    usesPassword: true,
    async handle(call) {
      await call.attempts.count([attemptSubject.passkeyOptions(call.addressOf(call.request.raw))])
      return addCookies(call, await call.forward(call.request, '/passkey/generate-authenticate-options')).result
    },
  },
  'POST /passkey/verify-authentication': { usesPassword: true, takes: ['response'], handle: signInByPasskey },
})

async function signInByPasskey(call: AuthRequest): Promise<object> {
  const { fields, request } = call
  const response = fields.object('response')
  const subjects = [attemptSubject.address(call.addressOf(request.raw))]
  const credential = String(response.id)
  const attempt = { method: 'passkey', findUser: () => findUserOfPasskey(call.db, credential) }
  return runAttempt(call, { subjects, attempt }, async () => {
    const forwarded = await call.forward(request, '/passkey/verify-authentication', { response })
    return completeSignIn(call, forwarded, { method: 'passkey', credential })
  })
}
