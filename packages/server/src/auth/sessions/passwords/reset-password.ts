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
import { deleteTotp } from '../totp.queries.ts'
import { generatePassword, hashPassword } from './password.ts'

export interface ResetPassword {
  user: SignedInUser
  /** The new password. It cannot be read again. */
  password: string
  /** Number of ended sessions. */
  sessions: number
  /** Removed ways to sign in: whether codes were turned off, and how many passkeys were deleted. */
  removed: { totp: boolean; passkeys: number }
}

/**
 * Sets a random password for a user, on behalf of the operator. All sessions and unfinished sign-ins end. `passwordOnly` also
 * removes the authenticator app and passkeys, so that only the password is required to sign in. Throws NOT_FOUND for an unknown
 * email address, which is case-insensitive.
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
  }
  const sessions = await deleteSessions(transaction, personId, 'all')
  await deleteSteps(transaction, personId)
  const user = await findSignedInUser(transaction, personId)
  const removed = { totp: before?.hasTotp ?? false, passkeys: before?.passkeys ?? 0 }
  return { user: user!, password, sessions, removed }
}
