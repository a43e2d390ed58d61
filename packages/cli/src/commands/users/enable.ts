import type { Command } from 'commander'
import { useInstallation } from '../../installation/use-installation.ts'
import { newCommand } from '../../options/new-command.ts'

export function buildCommand(): Command {
  return newCommand('enable')
    .description(`Enable a disabled user. The password, passkeys, access keys, and devices work again. Sessions that
ended remain ended. The command connects to the database in DATABASE_URL or, by default, to the embedded database in
MUSTER_DATA, whether or not a server is running.`)
    .argument('<email>', "user's email address")
    .action(run)
}

async function run(email: string, { json }: { json?: boolean }): Promise<void> {
  const { enableUser } = await import('@muster/server/features/users/user-administration.ts')
  const enabled = await useInstallation(({ db }) => enableUser(db, email))
  if (json) return console.log(JSON.stringify(enabled))
  console.log(`Enabled ${email}.`)
}
