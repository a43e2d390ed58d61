import type { Database } from '../../db/database.ts'
import { notFound } from '../../errors.ts'
import { deletePasskeys } from './passkeys.queries.ts'
import { generatePassword, hashPassword } from './password.ts'
import { deleteSessions } from './sessions.queries.ts'
import { deleteSteps, findSignedInUser, lockAccount, type SignedInUser, updatePassword } from './sign-in.queries.ts'
import { deleteTotp } from './totp.queries.ts'

export interface ResetPassword {
  user: SignedInUser
  /** In this answer and never again. */
  password: string
  /** How many were ended. */
  sessions: number
  /** What no longer signs in: whether codes were turned off, and how many passkeys are gone. */
  removed: { totp: boolean; passkeys: number }
}

/**
 * Gives a user another random password, for whoever runs the installation: nothing is asked of the user. Every session ends, and whatever was
 * half-way signed in. `passwordOnly`: an authenticator app and passkeys go, too, so that nothing but the password signs in. NOT_FOUND where
 * nobody has the e-mail address, case aside.
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
