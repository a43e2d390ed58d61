import { lockPerson } from '@muster/server/auth/sessions/sign-in/sign-in.queries.ts'
import { addToAccount } from '@muster/server/features/users/account-administration.ts'
import { createPerson } from '@muster/server/features/users/create-user.ts'
import type { Installation } from '../installation/migrate-and-set-up.ts'
import { createSecretFile } from './create-secret-file.ts'

export interface AddedMember {
  id: string
  email: string
  account: string
  role: string
  /** The path of the file with the password, or null if the user already existed. */
  credentials: string | null
}

/**
 * Adds a user to an account, and creates the user if necessary. Writes a new user's password to a file before the
 * transaction commits, so the password is never lost.
 */
export function addUserToAccount(
  { db, config }: Installation,
  { email, name, file }: { email: string; name: string | null; file: string },
  { accountId, roleId }: { accountId: string; roleId: string },
): Promise<AddedMember> {
  return db.transaction().execute(async (transaction) => {
    const existing = await lockPerson(transaction, email)
    const created = existing === undefined ? await createPerson(transaction, { email, name }) : undefined
    const id = existing ?? created!.id
    await addToAccount(transaction, { personId: id, email }, { accountId, roleId })
    const added = { id, email, account: accountId, role: roleId }
    if (created === undefined) return { ...added, credentials: null }
    const text = `MUSTER_EMAIL=${email}\nMUSTER_PASSWORD=${created.password}\n`
    await createSecretFile(config, { file, text, what: 'the password', option: '--credentials' })
    return { ...added, credentials: file }
  })
}
