import type { Command } from 'commander'
import { useInstallation } from '../../installation/use-installation.ts'
import { newCommand } from '../../options/new-command.ts'

export function buildCommand(): Command {
  return newCommand('add')
    .description(`Add an empty account that an existing user owns. The command connects to the database in DATABASE_URL
or, by default, to the embedded database in MUSTER_DATA, whether or not a server is running.`)
    .argument('<name>', 'name of the account')
    .requiredOption('--owner <email>', 'email address of the user who owns the account; required')
    .action(run)
}

async function run(name: string, { owner, json }: { owner: string; json?: boolean }): Promise<void> {
  const { addAccount } = await import('@muster/server/features/users/account-administration.ts')
  const added = await useInstallation(({ db }) => addAccount(db, { name, owner }))
  if (json) return console.log(JSON.stringify(added))
  console.log(`Added the account ${added.name}. ID: ${added.id}`)
}
