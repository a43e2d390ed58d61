import { join, resolve } from 'node:path'
import { type Command, Option } from 'commander'
import type { Installation } from '../../installation/installation.ts'
import { newCommand, prose } from '../../options/new-command.ts'

interface Options {
  json?: boolean
  file?: string
  email?: boolean
  passwordOnly?: boolean
  revokeKeys?: boolean
}

export function buildCommand(): Command {
  return newCommand('reset-password')
    .description(
      prose(`Set a new password, write it to a file that only you can read, and end all of the user's console sessions.
With --email, the command sends the password to the user through the mail server in MUSTER_SMTP_URL instead. Access keys
continue to work unless you pass --revoke-keys. The command connects to the database in DATABASE_URL or, by default, to
the embedded database in MUSTER_DATA, whether or not a server is running.`),
    )
    .argument('<email>', "user's email address")
    .addOption(
      new Option('--email', 'send the password to the email address instead of writing it to a file').conflicts('file'),
    )
    .option('--file <file>', 'new file for the password (default: $MUSTER_DATA/password-<email>)')
    .option('--password-only', 'also turn off two-factor authentication and remove passkeys')
    .option('--revoke-keys', "also delete all of the user's access keys")
    .action(run)
}

async function run(
  email: string,
  { json, file, email: isSent = false, passwordOnly = false, revokeKeys = false }: Options,
): Promise<void> {
  const [{ resetPassword }, { fileNameOf }, { withInstallation }] = await Promise.all([
    import('../../users/reset-password.ts'),
    import('../../users/add-user.ts'),
    import('../../installation/installation.ts'),
  ])
  const reset = (installation: Installation) => {
    const path = resolve(file ?? join(installation.config.dataFolder, `password-${fileNameOf(email)}`))
    return resetPassword(installation, { email, passwordOnly, revokeKeys, file: isSent ? null : path })
  }
  const written = await withInstallation(reset, { mustExist: true })
  if (json) return console.log(JSON.stringify(written))
  const place = written.password === null ? 'was sent by email' : `is in ${written.password}`
  console.log(`The new password of ${written.email} ${place}. Sessions ended: ${written.sessionsEnded}.`)
  if (revokeKeys) console.log(`Access keys deleted: ${written.keysRevoked}.`)
  if (written.codes) console.log('Sign-in still requires a code from the authenticator app; see --password-only.')
  if (written.passkeys > 0) console.log(`Passkeys that still work: ${written.passkeys}; see --password-only.`)
}
