import type { Command } from 'commander'
import { newCommand, prose } from '../../options/new-command.ts'

export function buildCommand(): Command {
  return newCommand('enable')
    .description(
      prose(`Enables a disabled user: the password, passkeys, access keys, and devices work again. Ended sessions stay ended. Uses
DATABASE_URL, else the database in MUSTER_DATA, whether or not a server is running.`),
    )
    .argument('<email>', 'email address of the user')
    .action(run)
}

async function run(email: string, { json }: { json?: boolean }): Promise<void> {
  const [{ enableUser }, { withInstallation }] = await Promise.all([
    import('@muster/server/features/users/user-administration.ts'),
    import('../../installation/installation.ts'),
  ])
  const enabled = await withInstallation(({ db }) => enableUser(db, email), { mustExist: true })
  if (json) return console.log(JSON.stringify(enabled))
  console.log(`Enabled ${email}.`)
}
