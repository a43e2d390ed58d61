import type { Command } from 'commander'
import { newCommand, prose } from '../../new-command.ts'

export function disableCommand(): Command {
  return newCommand('disable', 'disable a user, and keep everything that the user has')
    .description(
      prose(`Disables a user. Within a second, no sign-in, session, access key, device, registration code, stream, or download link of the
user works on any server; requests are rejected with the reason user-disabled. Devices, keys, and data are kept: "muster users enable"
makes them work again. Works on DATABASE_URL, else on the database in MUSTER_DATA, whether or not a server is running.`),
    )
    .argument('<email>', 'e-mail address of the user')
    .action(run)
}

async function run(email: string, { json }: { json?: boolean }): Promise<void> {
  const [{ disableUser }, { withInstallation }] = await Promise.all([
    import('@muster/server/features/users/user-administration.ts'),
    import('../../installation.ts'),
  ])
  const disabled = await withInstallation(({ db }) => disableUser(db, email, new Date()), { mustExist: true })
  if (json) return console.log(JSON.stringify(disabled))
  console.log(`Disabled ${email}. Sessions ended: ${disabled.sessions}.`)
}
