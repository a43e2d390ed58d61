import { dirname } from 'node:path'
import { createPrivateFile } from '@muster/server/auth/private-file.ts'
import { resetPassword as reset } from '@muster/server/auth/sessions/reset-password.ts'
import type { Installation } from './installation.ts'
import { unwritable } from './unwritable.ts'

export interface PasswordWritten {
  email: string
  /** Where it is. */
  password: string
  sessionsEnded: number
  /** Whether a code from an authenticator app is asked for besides. */
  codes: boolean
  passkeys: number
}

/** The file is written before the change is committed, so that there is never a password which nobody has. */
export async function resetPassword(
  { db, config }: Installation,
  { email, passwordOnly, file }: { email: string; passwordOnly: boolean; file: string },
): Promise<PasswordWritten> {
  return db.transaction().execute(async (transaction) => {
    const { user, password, sessions } = await reset(transaction, { email, passwordOnly })
    const owner = dirname(file) === config.dataFolder ? 'folder' : 'root'
    await createPrivateFile(file, `MUSTER_EMAIL=${user.email}\nMUSTER_PASSWORD=${password}\n`, owner).catch(
      (error: unknown) => {
        throw unwritable(file, error, { what: 'the password', option: '--file' })
      },
    )
    const { hasTotp, passkeys } = user
    return { email: user.email, password: file, sessionsEnded: sessions, codes: hasTotp, passkeys }
  })
}
