import { join, resolve } from 'node:path'
import { type Command, Option } from 'commander'
import { useInstallation } from '../../installation/use-installation.ts'
import { newCommand } from '../../options/new-command.ts'
import type { PasswordReset } from '../../users/reset-and-deliver-password.ts'

interface Options {
  json?: boolean
  file?: string
  email?: boolean
  link?: boolean
  passwordOnly?: boolean
  revokeKeys?: boolean
}

export function buildCommand(): Command {
  return newCommand('reset-password')
    .description(`Set a new password, and write it to a file that only you can read. With --link, the command instead
prints a link that lets the user set a password once, within 24 hours. With --email, the command sends this link to the
user through the mail server in MUSTER_SMTP_URL. In all cases, the old password stops working, and all of the user's
console sessions end. Access keys continue to work unless you pass --revoke-keys. The command connects to the database
in DATABASE_URL or, by default, to the embedded database in MUSTER_DATA, whether or not a server is running.`)
    .argument('<email>', "user's email address")
    .addOption(new Option('--email', 'email the user a link to set a new password').conflicts(['file', 'link']))
    .addOption(new Option('--link', 'print a link to set a new password').conflicts('file'))
    .option('--file <file>', 'new file for the password (default: $MUSTER_DATA/password-<email>)')
    .option(
      '--password-only',
      'also turn off two-factor authentication, and remove passkeys and linked single sign-on identities',
    )
    .option(
      '--revoke-keys',
      "also delete all keys of the user's own account, and the user's personal keys in other accounts",
    )
    .action(run)
}

async function run(
  email: string,
  { json, file, email: isSent = false, link: isShown = false, passwordOnly = false, revokeKeys = false }: Options,
): Promise<void> {
  const [{ resetPassword }, { fileNameOf }] = await Promise.all([
    import('../../users/reset-and-deliver-password.ts'),
    import('../../users/add-user.ts'),
  ])
  const written = await useInstallation((installation) => {
    const path = resolve(file ?? join(installation.config.dataFolder, `password-${fileNameOf(email)}`))
    const target = isSent ? { link: 'sent' as const } : isShown ? { link: 'shown' as const } : { file: path }
    return resetPassword(installation, { email, passwordOnly, revokeKeys, target })
  })
  if (json) return console.log(JSON.stringify(written))
  if (written.link !== null) console.log(written.link)
  const report = written.link === null ? console.log : console.error
  report(`${outcomeOf(written)} Sessions ended: ${written.sessionsEnded}.`)
  if (revokeKeys) report(`Access keys deleted: ${written.keysRevoked}.`)
  if (written.codes)
    report(
      'Sign-in still requires a code from the authenticator app. To turn off two-factor authentication, reset the password again with --password-only.',
    )
  if (written.passkeys > 0)
    report(
      `Passkeys that still work: ${written.passkeys}. To remove them, reset the password again with --password-only.`,
    )
  if (written.identities > 0)
    report(
      `Single sign-on identities that still work: ${written.identities}. To remove them, reset the password again with --password-only.`,
    )
}

function outcomeOf({ email, password, link }: PasswordReset): string {
  if (password !== null) return `The new password of ${email} is in ${password}.`
  return link === null
    ? `A link to set a new password was sent to ${email}.`
    : `With this link, ${email} can set a new password once, within 24 hours.`
}
