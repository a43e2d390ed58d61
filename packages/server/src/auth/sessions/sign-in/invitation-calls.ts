import { badInput } from '../../../errors.ts'
import { assertName, assertText } from '../../../lib/string-checks.ts'
import { limits } from '../../../limits.ts'
import { type AuthRequest, defineCalls } from '../auth-call.ts'
import { hashPassword, readNewPassword } from '../passwords/password.ts'
import { SESSION_SECONDS } from '../sessions.ts'
import { attemptSubject } from './attempt-limits.ts'
import { completeSignIn } from './complete-sign-in.ts'
import { passkeyOptions, verifyPasskey } from './invitation-passkey.ts'
import { startSession } from './start-session.ts'

const TOKEN_LENGTH = 100

/** Each call that looks up a token counts as an attempt to sign in, which limits guesses. */
export const invitationCalls = defineCalls({
  'POST /invitation': { takes: ['token'], handle: describe },
  'POST /invitation/passkey-options': { usesPassword: true, takes: ['token', 'email', 'name'], handle: beginPasskey },
  'POST /accept-invitation': {
    usesPassword: true,
    takes: ['token', 'email', 'name', 'password', 'passkey'],
    handle: accept,
  },
})

async function describe(call: AuthRequest): Promise<object> {
  const token = readToken(call)
  await call.attempts.count([attemptSubject.address(call.addressOf(call.request.raw))])
  return { invitation: await call.invitations.describe(token) }
}

async function beginPasskey(call: AuthRequest): Promise<object> {
  const { token, email, name } = readPerson(call)
  await call.attempts.count([attemptSubject.address(call.addressOf(call.request.raw))])
  // The browser keeps a passkey even if the person cannot join, so check first whether the person can join.
  const joining = await call.invitations.newAddress({ token, email })
  return passkeyOptions(call, { token, email: joining, name })
}

/** Accepts an invitation for a new person. An existing person must sign in first, then accept it with a mutation. */
async function accept(call: AuthRequest): Promise<object> {
  const { fields, request } = call
  const { token, email, name } = readPerson(call)
  if (fields.has('password') === fields.has('passkey'))
    throw badInput('the body must contain exactly one of password and passkey')
  const password = fields.has('password') ? readNewPassword(fields, 'password') : undefined
  await call.attempts.count([attemptSubject.address(call.addressOf(request.raw))])
  await call.invitations.describe(token)
  if (password === undefined) {
    const passkey = await verifyPasskey(call, { token, response: fields.object('passkey') })
    const { personId } = await call.invitations.join({ token, email, name, credential: { passkey } })
    call.onRecorded()
    await startSession(call, personId, { method: 'passkey', seconds: SESSION_SECONDS, isFixed: false })
    return { signedIn: true }
  }
  const credential = { passwordHash: await hashPassword(password) }
  const person = await call.invitations.join({ token, email, name, credential })
  call.onRecorded()
  const forwarded = await call.forward(request, '/sign-in/email', { email: person.email, password })
  return completeSignIn(call, forwarded, { method: 'password' })
}

function readPerson(call: AuthRequest): { token: string; email: string | null; name: string | null } {
  const { fields, session } = call
  if (session !== undefined) throw badInput('you are signed in: use the mutation acceptInvitation, or sign out first')
  const token = readToken(call)
  const [email, name] = [fields.optionalText('email')?.trim() ?? null, fields.optionalText('name') ?? null]
  if (name !== null) assertName(name, 'name', limits.userNameLength)
  return { token, email, name }
}

function readToken({ fields }: AuthRequest): string {
  const token = fields.text('token')
  assertText(token, 'token', TOKEN_LENGTH)
  return token
}
