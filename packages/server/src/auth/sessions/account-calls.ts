import type { Database } from '../../db/database.ts'
import { ApiError, notFound } from '../../errors.ts'
import { assertName, assertText } from '../../lib/string-checks.ts'
import { limits } from '../../limits.ts'
import { assertPasswordSession } from './assert-password-session.ts'
import { ownAttempt, runAttempt } from './audit/failed-attempts.ts'
import { recordChange } from './audit/record-change.ts'
import { type AuthRequest, defineCalls, signedIn } from './auth-call.ts'
import type { Forwarded } from './forward.ts'
import { deletePasskey, listPasskeys, renamePasskey } from './passkeys.queries.ts'
import { PASSWORD_LENGTH, readNewPassword } from './passwords/password.ts'
import type { Session } from './sessions.ts'
import { attemptSubject } from './sign-in/attempt-limits.ts'
import { addCookies } from './sign-in/complete-sign-in.ts'
import { deleteSteps, findSignedInUser, lockPerson, updateName } from './sign-in/sign-in.queries.ts'
import { isLinked } from './single-sign-on/single-sign-on.queries.ts'
import { deleteLinkAttempts } from './single-sign-on/sso-attempts.queries.ts'

const PASSKEY_NAME_LENGTH = 100

export const accountCalls = defineCalls({
  'POST /change-password': {
    usesPassword: true,
    takes: ['currentPassword', 'newPassword'],
    handle: signedIn(changePassword),
  },
  'POST /update-user': { takes: ['name'], handle: signedIn(changeName) },
  'POST /two-factor/enable': {
    usesPassword: true,
    takes: ['password'],
    handle: signedIn(async (call, session) => {
      const { totpURI, backupCodes } = (await byPassword(call, session, '/two-factor/enable')).result
      return { totpURI, backupCodes }
    }),
  },
  'POST /two-factor/disable': {
    usesPassword: true,
    takes: ['password'],
    handle: signedIn(async (call, session) => {
      addCookies(call, await byPassword(call, session, '/two-factor/disable'))
      await recordChange(call, session, { type: 'AUTHENTICATOR_REMOVE', work: async () => {} })
      return { totp: false }
    }),
  },
  'POST /two-factor/generate-backup-codes': {
    usesPassword: true,
    takes: ['password'],
    handle: signedIn(async (call, session) => {
      const { backupCodes } = (await byPassword(call, session, '/two-factor/generate-backup-codes')).result
      const data = () => ({ backupCodes: true })
      await recordChange(call, session, { type: 'AUTHENTICATOR_UPDATE', work: async () => {}, data })
      return { backupCodes }
    }),
  },
  'GET /passkey/generate-register-options': {
    handle: signedIn(
      async (call) => addCookies(call, await call.forward(call.request, '/passkey/generate-register-options')).result,
    ),
  },
  'POST /passkey/verify-registration': { takes: ['response', 'name'], handle: signedIn(addPasskey) },
  'GET /passkey/list-user-passkeys': {
    handle: signedIn(async ({ db }, { personId }) => ({ passkeys: await listPasskeys(db, personId) })),
  },
  'POST /passkey/update-passkey': {
    takes: ['id', 'name'],
    handle: signedIn(async (call, session) => {
      const { fields } = call
      const [id, name] = [fields.text('id'), fields.text('name')]
      assertName(name, 'name', PASSKEY_NAME_LENGTH)
      const passkey = await recordChange(call, session, {
        type: 'PASSKEY_UPDATE',
        work: (transaction) => renamePasskey(transaction, session.personId, { id, name }),
        data: (renamed) => (renamed === undefined ? null : { id, name }),
      })
      if (passkey === undefined) throw notFound('passkey', id)
      return { passkey }
    }),
  },
  'POST /passkey/delete-passkey': {
    takes: ['id'],
    handle: signedIn(async (call, session) => {
      const id = call.fields.text('id')
      const isDeleted = await recordChange(call, session, {
        type: 'PASSKEY_REMOVE',
        work: (transaction) => removePasskey(transaction, call, { session, id }),
        data: (deleted) => (deleted ? { id } : null),
      })
      if (!isDeleted) throw notFound('passkey', id)
      return { deleted: true }
    }),
  },
})

async function changePassword(call: AuthRequest, session: Session): Promise<object> {
  assertPasswordSession(session)
  const { fields, request } = call
  const currentPassword = fields.text('currentPassword')
  assertText(currentPassword, 'currentPassword', PASSWORD_LENGTH.max)
  const newPassword = readNewPassword(fields, 'newPassword')
  const attempt = ownAttempt(session, 'current password')
  return runAttempt(call, { subjects: [attemptSubject.person(session.personId)], attempt }, async () => {
    addCookies(call, await call.forward(request, '/change-password', { currentPassword, newPassword }))
    const work = async (transaction: Database) => {
      await deleteSteps(transaction, session.personId)
      await deleteLinkAttempts(transaction, session.personId)
    }
    await recordChange(call, session, { type: 'PASSWORD_CHANGE', work })
    return { changed: true }
  })
}

async function changeName({ db, fields }: AuthRequest, { personId }: Session): Promise<object> {
  const name = fields.optionalText('name') ?? null
  if (name !== null) assertName(name, 'name', limits.userNameLength)
  await db.transaction().execute((transaction) => updateName(transaction, personId, name))
  const { id, email } = (await findSignedInUser(db, personId)) ?? {}
  return { user: { id, email, name } }
}

async function byPassword(call: AuthRequest, session: Session, path: string): Promise<Forwarded> {
  assertPasswordSession(session)
  const password = call.fields.text('password')
  assertText(password, 'password', PASSWORD_LENGTH.max)
  const subjects = [attemptSubject.person(session.personId)]
  const attempt = ownAttempt(session, 'current password')
  return runAttempt(call, { subjects, attempt }, () => call.forward(call.request, path, { password }))
}

/** Returns false for an unknown passkey. Throws CONFLICT if the person could not sign in without the passkey. */
async function removePasskey(
  transaction: Database,
  { provider }: AuthRequest,
  { session: { personId, email }, id }: { session: Session; id: string },
): Promise<boolean> {
  await lockPerson(transaction, email)
  if (!(await deletePasskey(transaction, personId, id))) return false
  const user = await findSignedInUser(transaction, personId)
  const canSignIn = user !== undefined && (user.hasPassword || user.passkeys > 0)
  if (!canSignIn && !(provider !== undefined && (await isLinked(transaction, personId, provider.issuer))))
    throw new ApiError('CONFLICT', 'you can sign in only with this passkey: add another passkey first')
  return true
}

async function addPasskey(call: AuthRequest, session: Session): Promise<object> {
  const { fields, request } = call
  const [response, given] = [fields.object('response'), fields.optionalText('name')]
  if (given !== undefined) assertName(given, 'name', PASSKEY_NAME_LENGTH)
  const body = { response, ...(given !== undefined && { name: given }) }
  const { result } = addCookies(call, await call.forward(request, '/passkey/verify-registration', body))
  const { id, name = null, createdAt } = result
  await recordChange(call, session, { type: 'PASSKEY_ADD', work: async () => {}, data: () => ({ id, name }) })
  return { passkey: { id, name, created: createdAt } }
}
