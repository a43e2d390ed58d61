import { addAccessKey } from '@muster/server/features/access-keys/access-keys.ts'
import { createUser } from '@muster/server/features/users/create-user.ts'
import { recordUserEvents } from '@muster/server/features/users/record-user-events.ts'
import { formatCredentials } from '@muster/server/start/credentials-file.ts'
import type { Installation } from '../installation/migrate-and-set-up.ts'
import { createSecretFile } from './create-secret-file.ts'

export interface AddedUser {
  id: string
  email: string
  accessKeyId: string
  credentials: string
}

/**
 * Creates a user with an access key. Writes the credentials to a file before the transaction commits, so the
 * credentials are never lost.
 */
export async function addUser(
  { db, config, secrets, url }: Installation,
  user: { email: string; name: string | null; accessKeyName: string; file: string },
): Promise<AddedUser> {
  return db.transaction().execute(async (transaction) => {
    const { id, email, password } = await createUser(transaction, { email: user.email, name: user.name })
    const context = {
      db: transaction,
      viewer: { accountId: id, email, readOnly: false, isServer: true },
      secrets,
      clock: () => new Date(),
    }
    const { key, secret } = await addAccessKey(context, { name: user.accessKeyName })
    const text = formatCredentials({ url, accessKeyId: key, secretAccessKey: secret ?? '', email, password })
    await recordUserEvents(transaction, { id, email }, [{ type: 'USER_ADD', data: { name: user.name } }])
    await createSecretFile(config, { file: user.file, text, what: 'the credentials', option: '--credentials' })
    return { id, email, accessKeyId: key, credentials: user.file }
  })
}

/** Converts an email address to lowercase, with `_` for each character that may be unsafe in a file name. */
export const fileNameOf = (email: string): string => email.toLowerCase().replace(/[^a-z0-9@._+-]/g, '_')

export const credentialsFileName = (email: string): string => `credentials-${fileNameOf(email)}`
