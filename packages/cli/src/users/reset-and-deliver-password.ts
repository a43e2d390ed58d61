import { resetPassword as reset } from '@muster/server/auth/sessions/passwords/operator-password-reset.ts'
import { createPasswordLink } from '@muster/server/auth/sessions/passwords/password-reset-link.ts'
import type { Database } from '@muster/server/db/database.ts'
import { endPersonalKeys, revokeAccessKeys } from '@muster/server/features/access-keys/access-keys.ts'
import { recordEvents } from '@muster/server/features/events/record.ts'
import { selectAccountsOf } from '@muster/server/features/users/people/people.queries.ts'
import { recordUserEvents } from '@muster/server/features/users/record-user-events.ts'
import { emailSender } from '@muster/server/mail/smtp-sender.ts'
import { CliError, usageError } from '../errors/cli-error.ts'
import type { Installation } from '../installation/migrate-and-set-up.ts'
import { createSecretFile } from './create-secret-file.ts'

/** How the user gets a new password: from a file, or by setting it with a link that is shown or sent by email. */
export type PasswordTarget = { file: string } | { link: 'shown' | 'sent' }

export interface PasswordReset {
  email: string
  /** Path of the file with the new password. Null if the user sets the password with a link. */
  password: string | null
  /** The link that lets the user set a new password. Null if it was sent by email, or if the password is in a file. */
  link: string | null
  sessionsEnded: number
  keysRevoked: number
  codes: boolean
  passkeys: number
  identities: number
}

/**
 * Resets a user's password. Writes the new password to the file or emails the link before the transaction commits, so a
 * changed password is never lost.
 */
export async function resetPassword(
  installation: Installation,
  {
    email,
    passwordOnly,
    revokeKeys,
    target,
  }: { email: string; passwordOnly: boolean; revokeKeys: boolean; target: PasswordTarget },
): Promise<PasswordReset> {
  if ('link' in target && installation.config.signIn === 'sso')
    throw usageError(
      'the server accepts only single sign-on (MUSTER_SIGN_IN=sso), so the user cannot sign in with a password',
      'To create a link that signs the user in, run "muster users link".',
    )
  const send = 'link' in target && target.link === 'sent' ? senderOf(installation) : undefined
  const { user, ...written } = await installation.db.transaction().execute(async (transaction) => {
    const { user, password, sessions, removed } = await reset(transaction, { email, passwordOnly })
    const viewer = { accountId: user.id, email: user.email, readOnly: false, isServer: true }
    const revoked = revokeKeys ? await revokeAccessKeys({ db: transaction, viewer }) : []
    await recordEvents(transaction, { viewer }, revoked)
    await recordUserEvents(transaction, user, [
      {
        type: 'PASSWORD_CHANGE',
        data: { reset: true, ...(removed.identities > 0 && { identities: removed.identities }) },
      },
      ...(removed.totp ? [{ type: 'AUTHENTICATOR_REMOVE' as const, data: { reset: true } }] : []),
      ...(removed.passkeys > 0
        ? [{ type: 'PASSKEY_REMOVE' as const, data: { reset: true, passkeys: removed.passkeys } }]
        : []),
      ...(sessions > 0 ? [{ type: 'SESSION_REVOKE' as const, data: { sessions } }] : []),
    ])
    if ('file' in target) {
      const text = `MUSTER_EMAIL=${user.email}\nMUSTER_PASSWORD=${password}\n`
      await createSecretFile(installation.config, { file: target.file, text, what: 'the password', option: '--file' })
    }
    const link = 'link' in target ? await createLink(installation, transaction, user.id) : null
    if (link !== null) await send?.({ email: user.email, link })
    const { hasTotp, passkeys, identities } = user
    return {
      email: user.email,
      password: 'file' in target ? target.file : null,
      link: send === undefined ? link : null,
      sessionsEnded: sessions,
      keysRevoked: revoked.length,
      codes: hasTotp,
      passkeys,
      identities,
      user,
    }
  })
  const keysRevoked = written.keysRevoked + (revokeKeys ? await revokePersonalKeys(installation.db, user) : 0)
  return { ...written, keysRevoked }
}

async function revokePersonalKeys(db: Database, { id, email }: { id: string; email: string }): Promise<number> {
  let revoked = 0
  for (const { accountId } of await selectAccountsOf(db, id)) {
    const viewer = { accountId, email, readOnly: false, isServer: true }
    await db.transaction().execute(async (transaction) => {
      const deletions = await endPersonalKeys({ db: transaction, viewer }, id)
      await recordEvents(transaction, { viewer }, deletions)
      revoked += deletions.length
    })
  }
  return revoked
}

async function createLink({ url }: Installation, transaction: Database, personId: string): Promise<string> {
  const { token } = await createPasswordLink(transaction, personId, new Date())
  return `${url}/new-password#${token}`
}

function senderOf({ config, log }: Installation): (to: { email: string; link: string }) => Promise<void> {
  const send = emailSender(config, log)
  if (send === undefined)
    throw usageError(
      'no mail server is configured (MUSTER_SMTP_URL)',
      'Set MUSTER_SMTP_URL and MUSTER_SMTP_FROM, or pass --link instead of --email to print the link.',
    )
  return async ({ email, link }) => {
    const text = `Your Muster password was reset on the server. Set a new password here:

${link}

The link works once and expires after 24 hours. Anyone who has it can set your password.
`
    if (await send({ to: email, subject: 'Set a new password for Muster', text })) return
    throw new CliError('the email could not be sent, so the password was not changed', {
      hint: 'Check MUSTER_SMTP_URL and MUSTER_SMTP_FROM, or pass --link instead of --email to print the link.',
    })
  }
}
