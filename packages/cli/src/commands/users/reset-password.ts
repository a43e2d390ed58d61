import { join, resolve } from 'node:path'
import type { Command } from 'commander'
import type { Installation } from '../../installation.ts'
import { newCommand, prose } from '../../new-command.ts'

interface Options {
  json?: boolean
  file?: string
  passwordOnly?: boolean
  revokeKeys?: boolean
}

export function resetPasswordCommand(): Command {
  return newCommand('reset-password', 'give a user another password, and write it to a file')
    .description(
      prose(`Gives a user another password, writes it to a file that only you may read, and ends every session of the user in the
console. Access keys keep working unless you pass --revoke-keys. Works on DATABASE_URL, else on the database in MUSTER_DATA, whether or not a server runs.`),
    )
    .argument('<email>', 'e-mail address of the user')
    .option('--file <file>', 'where to write the password (default: $MUSTER_DATA/password-<email>)')
    .option('--password-only', 'turn codes from an authenticator app off and forget passkeys, too')
    .option('--revoke-keys', 'delete every access key of the user, too')
    .action(run)
}

async function run(email: string, { json, file, passwordOnly = false, revokeKeys = false }: Options): Promise<void> {
  const [{ resetPassword }, { fileNameOf }, { withInstallation }] = await Promise.all([
    import('../../reset-password.ts'),
    import('../../add-user.ts'),
    import('../../installation.ts'),
  ])
  const reset = (installation: Installation) => {
    const path = resolve(file ?? join(installation.config.dataFolder, `password-${fileNameOf(email)}`))
    return resetPassword(installation, { email, passwordOnly, revokeKeys, file: path })
  }
  const written = await withInstallation(reset, { mustExist: true })
  if (json) return console.log(JSON.stringify(written))
  console.log(`${written.email} has another password: ${written.password}. Sessions ended: ${written.sessionsEnded}.`)
  if (revokeKeys) console.log(`Access keys deleted: ${written.keysRevoked}.`)
  if (written.codes) console.log('A code from the authenticator app is asked for as before: see --password-only.')
  if (written.passkeys > 0) console.log(`Passkeys that sign in as before: ${written.passkeys}; see --password-only.`)
}
