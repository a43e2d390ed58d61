import { badInput, notFound } from '../../errors.ts'
import { assertName, assertText, characters } from '../../graphql/text.ts'
import { limits } from '../../limits.ts'
import { type AuthCall, type AuthRequest, asTry, signedIn } from './auth-call.ts'
import type { Forwarded } from './forward.ts'
import { deletePasskey, listPasskeys, renamePasskey } from './passkeys.queries.ts'
import { PASSWORD_LENGTH } from './password-length.ts'
import type { Session } from './sessions.ts'
import { deleteSteps, findSignedInUser, updateName } from './sign-in.queries.ts'
import { keepCookies } from './sign-in-calls.ts'
import { triesOf } from './sign-in-tries.ts'

const PASSKEY_NAME_LENGTH = 100

/** What people change of the way they sign in. */
export const accountCalls: readonly AuthCall[] = [
  {
    method: 'POST',
    path: '/change-password',
    takes: ['currentPassword', 'newPassword'],
    handle: signedIn(changePassword),
  },
  { method: 'POST', path: '/update-user', takes: ['name'], handle: signedIn(changeName) },
  {
    method: 'POST',
    path: '/two-factor/enable',
    takes: ['password'],
    handle: signedIn(async (call, session) => {
      const { totpURI, backupCodes } = (await byPassword(call, session, '/two-factor/enable')).answer
      return { totpURI, backupCodes }
    }),
  },
  {
    method: 'POST',
    path: '/two-factor/disable',
    takes: ['password'],
    handle: signedIn(async (call, session) => {
      keepCookies(call, await byPassword(call, session, '/two-factor/disable'))
      return { totp: false }
    }),
  },
  {
    method: 'POST',
    path: '/two-factor/generate-backup-codes',
    takes: ['password'],
    handle: signedIn(async (call, session) => {
      const { backupCodes } = (await byPassword(call, session, '/two-factor/generate-backup-codes')).answer
      return { backupCodes }
    }),
  },
  {
    method: 'GET',
    path: '/passkey/generate-register-options',
    handle: signedIn(
      async (call) => keepCookies(call, await call.forward(call.request, '/passkey/generate-register-options')).answer,
    ),
  },
  { method: 'POST', path: '/passkey/verify-registration', takes: ['response', 'name'], handle: signedIn(addPasskey) },
  {
    method: 'GET',
    path: '/passkey/list-user-passkeys',
    handle: signedIn(async ({ db }, { accountId }) => ({ passkeys: await listPasskeys(db, accountId) })),
  },
  {
    method: 'POST',
    path: '/passkey/update-passkey',
    takes: ['id', 'name'],
    handle: signedIn(async ({ db, fields }, { accountId }) => {
      const [id, name] = [fields.text('id'), fields.text('name')]
      assertName(name, 'name', PASSKEY_NAME_LENGTH)
      const passkey = await renamePasskey(db, accountId, { id, name })
      if (passkey === undefined) throw notFound('passkey', id)
      return { passkey }
    }),
  },
  {
    method: 'POST',
    path: '/passkey/delete-passkey',
    takes: ['id'],
    handle: signedIn(async ({ db, fields }, { accountId }) => {
      const id = fields.text('id')
      if (!(await deletePasskey(db, accountId, id))) throw notFound('passkey', id)
      return { deleted: true }
    }),
  },
]

async function changePassword(call: AuthRequest, session: Session): Promise<object> {
  const { fields, db, request } = call
  const [currentPassword, newPassword] = [fields.text('currentPassword'), fields.text('newPassword')]
  const { least, most } = PASSWORD_LENGTH
  assertText(currentPassword, 'currentPassword', most)
  assertText(newPassword, 'newPassword', most)
  const found = characters(newPassword)
  if (found < least) throw badInput(`newPassword must have ${least} characters at least, found ${found}`)
  return asTry(call, [triesOf.account(session.accountId)], async () => {
    keepCookies(call, await call.forward(request, '/change-password', { currentPassword, newPassword }))
    await deleteSteps(db, session.accountId)
    return { changed: true }
  })
}

async function changeName({ db, fields }: AuthRequest, { accountId }: Session): Promise<object> {
  const name = fields.optionalText('name') ?? null
  if (name !== null) assertName(name, 'name', limits.userNameLength)
  await updateName(db, accountId, name)
  const { id, email } = (await findSignedInUser(db, accountId)) ?? {}
  return { user: { id, email, name } }
}

/** What takes the password once more. */
async function byPassword(call: AuthRequest, { accountId }: Session, path: string): Promise<Forwarded> {
  const password = call.fields.text('password')
  assertText(password, 'password', PASSWORD_LENGTH.most)
  return asTry(call, [triesOf.account(accountId)], () => call.forward(call.request, path, { password }))
}

async function addPasskey(call: AuthRequest): Promise<object> {
  const { fields, request } = call
  const [response, given] = [fields.object('response'), fields.optionalText('name')]
  if (given !== undefined) assertName(given, 'name', PASSKEY_NAME_LENGTH)
  const body = { response, ...(given !== undefined && { name: given }) }
  const { answer } = keepCookies(call, await call.forward(request, '/passkey/verify-registration', body))
  const { id, name = null, createdAt } = answer
  return { passkey: { id, name, created: createdAt } }
}
