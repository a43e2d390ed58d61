import type { Database } from '../../../db/database.ts'
import { notFound } from '../../../errors.ts'
import { deletePasskeys } from '../passkeys.queries.ts'
import { deleteSessions } from '../sessions.queries.ts'
import {
  deleteSteps,
  findSignedInUser,
  lockAccount,
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
  const accountId = await lockAccount(transaction, email)
  if (accountId === undefined) throw notFound('user', email)
  const password = generatePassword()
  await updatePassword(transaction, accountId, await hashPassword(password))
  const before = passwordOnly ? await findSignedInUser(transaction, accountId) : undefined
  if (passwordOnly) {
    await deleteTotp(transaction, accountId)
    await deletePasskeys(transaction, accountId)
  }
  const sessions = await deleteSessions(transaction, accountId, 'all')
  await deleteSteps(transaction, accountId)
  const user = await findSignedInUser(transaction, accountId)
  const removed = { totp: before?.hasTotp ?? false, passkeys: before?.passkeys ?? 0 }
  return { user: user!, password, sessions, removed }
}
