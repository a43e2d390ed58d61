import { dirname } from 'node:path'
import { resetPassword as reset } from '@muster/server/auth/sessions/passwords/reset-password.ts'
import { revokeAccessKeys } from '@muster/server/features/access-keys/access-keys.ts'
import { recordEvents } from '@muster/server/features/events/record.ts'
import { recordUserEvents } from '@muster/server/features/users/record-user-events.ts'
import { createPrivateFile } from '@muster/server/lib/private-file.ts'
import { unwritable } from '../errors/unwritable.ts'
import type { Installation } from '../installation/installation.ts'

export interface PasswordWritten {
  email: string
  /** Path of the file with the new password. */
  password: string
  sessionsEnded: number
  keysRevoked: number
  /** Whether sign-in also requires a code from an authenticator app. */
  codes: boolean
  passkeys: number
}

/** Resets a password. Writes the file before the transaction commits, so a changed password is never lost. */
export async function resetPassword(
  { db, config }: Installation,
  {
    email,
    passwordOnly,
    revokeKeys,
    file,
  }: { email: string; passwordOnly: boolean; revokeKeys: boolean; file: string },
): Promise<PasswordWritten> {
  return db.transaction().execute(async (transaction) => {
    const { user, password, sessions, removed } = await reset(transaction, { email, passwordOnly })
    const viewer = { accountId: user.id, email: user.email, readOnly: false }
    const revoked = revokeKeys ? await revokeAccessKeys({ db: transaction, viewer }) : []
    await recordEvents(transaction, { viewer }, revoked)
    await recordUserEvents(transaction, user, [
      { type: 'PASSWORD_CHANGE', data: { reset: true } },
      ...(removed.totp ? [{ type: 'AUTHENTICATOR_REMOVE' as const, data: { reset: true } }] : []),
      ...(removed.passkeys > 0
        ? [{ type: 'PASSKEY_REMOVE' as const, data: { reset: true, passkeys: removed.passkeys } }]
        : []),
      ...(sessions > 0 ? [{ type: 'SESSION_REVOKE' as const, data: { sessions } }] : []),
    ])
    const owner = dirname(file) === config.dataFolder ? 'folder' : 'root'
    await createPrivateFile(file, `MUSTER_EMAIL=${user.email}\nMUSTER_PASSWORD=${password}\n`, owner).catch(
      (error: unknown) => {
        throw unwritable(file, error, { what: 'the password', option: '--file' })
      },
    )
    const { hasTotp, passkeys } = user
    return {
      email: user.email,
      password: file,
      sessionsEnded: sessions,
      keysRevoked: revoked.length,
      codes: hasTotp,
      passkeys,
    }
  })
}
