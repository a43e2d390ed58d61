import { dirname } from 'node:path'
import { resetPassword as reset } from '@muster/server/auth/sessions/passwords/reset-password.ts'
import { revokeAccessKeys } from '@muster/server/features/access-keys/access-keys.ts'
import { recordEvents } from '@muster/server/features/events/record.ts'
import { recordUserEvents } from '@muster/server/features/users/record-user-events.ts'
import { createPrivateFile } from '@muster/server/lib/private-file.ts'
import { emailSender } from '@muster/server/mail/send-email.ts'
import { CliError, usageError } from '../errors/cli-error.ts'
import { unwritable } from '../errors/unwritable.ts'
import type { Installation } from '../installation/installation.ts'

export interface PasswordWritten {
  email: string
  /** Path of the file with the new password. Null if the password was sent by email. */
  password: string | null
  sessionsEnded: number
  keysRevoked: number
  codes: boolean
  passkeys: number
}

/** Writes the file or sends the email before the transaction commits, so a changed password is never lost. */
export async function resetPassword(
  installation: Installation,
  {
    email,
    passwordOnly,
    revokeKeys,
    file,
  }: {
    email: string
    passwordOnly: boolean
    revokeKeys: boolean
    /** The new file's path. Null sends the password by email. */
    file: string | null
  },
): Promise<PasswordWritten> {
  const send = file === null ? senderOf(installation) : undefined
  return installation.db.transaction().execute(async (transaction) => {
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
    if (file !== null) await writeFile(installation, file, { email: user.email, password })
    else await send?.({ email: user.email, password })
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

interface NewPassword {
  email: string
  password: string
}

async function writeFile({ config }: Installation, file: string, { email, password }: NewPassword): Promise<void> {
  const owner = dirname(file) === config.dataFolder ? 'folder' : 'root'
  await createPrivateFile(file, `MUSTER_EMAIL=${email}\nMUSTER_PASSWORD=${password}\n`, owner).catch(
    (error: unknown) => {
      throw unwritable(file, error, { what: 'the password', option: '--file' })
    },
  )
}

/** Throws if the server cannot send email. */
function senderOf({ config, log, url }: Installation): (password: NewPassword) => Promise<void> {
  const send = emailSender(config, log)
  if (send === undefined)
    throw usageError(
      'no mail server is set (MUSTER_SMTP_URL)',
      'Set MUSTER_SMTP_URL and MUSTER_SMTP_FROM, or omit --email.',
    )
  return async ({ email, password }) => {
    const text = `The operator of this Muster server has set a new password for you.

Sign in at ${url} with this email address and password:

${password}

Then change the password. Delete this email, because anyone who has it can sign in.
`
    if (await send({ to: email, subject: 'Your new password for Muster', text })) return
    throw new CliError('the mail server did not accept the email, so the password was not changed')
  }
}
