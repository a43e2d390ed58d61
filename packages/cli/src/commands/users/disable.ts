import type { Command } from 'commander'
import { useInstallation } from '../../installation/use-installation.ts'
import { newCommand } from '../../options/new-command.ts'

export function buildCommand(): Command {
  return newCommand('disable')
    .description(`Disable a user. Within a second, all servers reject the user's sign-ins, sessions, and personal access
keys. In accounts without another enabled member, they also reject, with the reason user-disabled, all access keys,
devices, registration codes, streams, and download links. In other accounts, account keys that the user created continue
to work. The command keeps all devices, keys, and data. To enable the user again, run "muster users enable". The command
connects to the database in DATABASE_URL or, by default, to the embedded database in MUSTER_DATA, whether or not a
server is running.`)
    .argument('<email>', "user's email address")
    .action(run)
}

async function run(email: string, { json }: { json?: boolean }): Promise<void> {
  const { disableUser } = await import('@muster/server/features/users/user-administration.ts')
  const disabled = await useInstallation(({ db }) => disableUser(db, email, new Date()))
  if (json) return console.log(JSON.stringify(disabled))
  console.log(`Disabled ${email}. Sessions ended: ${disabled.sessions}.`)
}
