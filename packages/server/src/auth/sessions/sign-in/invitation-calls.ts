import { badInput } from '../../../errors.ts'
import { assertName, assertText, characters } from '../../../lib/text.ts'
import { limits } from '../../../limits.ts'
import type { AuthCall, AuthRequest } from '../auth-call.ts'
import { hashPassword, PASSWORD_LENGTH } from '../passwords/password.ts'
import { attemptSubject } from './attempt-limits.ts'
import { completeSignIn } from './complete-sign-in.ts'

const TOKEN_LENGTH = 100

/** Guesses count as attempts to sign in. */
export const invitationCalls: readonly AuthCall[] = [
  { method: 'POST', path: '/invitation', takes: ['token'], handle: describe },
  {
    method: 'POST',
    path: '/accept-invitation',
    usesPassword: true,
    takes: ['token', 'email', 'name', 'password'],
    handle: accept,
  },
]

async function describe(call: AuthRequest): Promise<object> {
  const token = readToken(call)
  await call.attempts.count([attemptSubject.address(call.addressOf(call.request.raw))])
  return { invitation: await call.invitations.describe(token) }
}

/** A person who already exists must sign in first and then accept with a mutation. */
async function accept(call: AuthRequest): Promise<object> {
  const { fields, request, session } = call
  if (session !== undefined) throw badInput('you are signed in: accept the invitation with acceptInvitation')
  const token = readToken(call)
  const [email, name] = [fields.optionalText('email')?.trim() ?? null, fields.optionalText('name') ?? null]
  if (name !== null) assertName(name, 'name', limits.userNameLength)
  const password = fields.text('password')
  const { min, max } = PASSWORD_LENGTH
  assertText(password, 'password', max)
  const found = characters(password)
  if (found < min) throw badInput(`password must have at least ${min} characters, found ${found}`)
  await call.attempts.count([attemptSubject.address(call.addressOf(request.raw))])
  await call.invitations.describe(token)
  const person = await call.invitations.join({ token, email, name, passwordHash: await hashPassword(password) })
  call.onRecorded()
  const forwarded = await call.forward(request, '/sign-in/email', { email: person.email, password })
  return completeSignIn(call, forwarded, { method: 'password' })
}

function readToken({ fields }: AuthRequest): string {
  const token = fields.text('token')
  assertText(token, 'token', TOKEN_LENGTH)
  return token
}
