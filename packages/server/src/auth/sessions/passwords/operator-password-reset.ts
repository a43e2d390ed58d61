import type { Database } from '../../../db/database.ts'
import { notFound } from '../../../errors.ts'
import { deletePasskeys } from '../passkeys.queries.ts'
import { deleteSessions } from '../sessions.queries.ts'
import {
  deleteSteps,
  findSignedInUser,
  lockPerson,
  type SignedInUser,
  updatePassword,
} from '../sign-in/sign-in.queries.ts'
import { deleteIdentities } from '../single-sign-on/single-sign-on.queries.ts'
import { deleteTotp } from '../totp.queries.ts'
import { generatePassword, hashPassword } from './password.ts'

export interface ResetPassword {
  user: SignedInUser
  password: string
  sessions: number
  /** Whether the authenticator app was removed, and how many passkeys and linked identities were removed. */
  removed: { totp: boolean; passkeys: number; identities: number }
}

/**
 * Sets a generated password, and ends all sessions and unfinished sign-ins. With `passwordOnly`, also removes the
 * authenticator app, passkeys, and linked identities, so that the person can sign in with only the password. Throws
 * NOT_FOUND if no user has the email address, ignoring case.
 */
export async function resetPassword(
  transaction: Database,
  { email, passwordOnly }: { email: string; passwordOnly: boolean },
): Promise<ResetPassword> {
  const personId = await lockPerson(transaction, email)
  if (personId === undefined) throw notFound('user', email)
  const password = generatePassword()
  await updatePassword(transaction, personId, await hashPassword(password))
  const before = passwordOnly ? await findSignedInUser(transaction, personId) : undefined
  if (passwordOnly) {
    await deleteTotp(transaction, personId)
    await deletePasskeys(transaction, personId)
    await deleteIdentities(transaction, personId)
  }
  const sessions = await deleteSessions(transaction, personId, 'all')
  await deleteSteps(transaction, personId)
  const user = await findSignedInUser(transaction, personId)
  const removed = {
    totp: before?.hasTotp ?? false,
    passkeys: before?.passkeys ?? 0,
    identities: before?.identities ?? 0,
  }
  return { user: user!, password, sessions, removed }
}
