import type { Command } from 'commander'
import { newCommand, prose } from '../../new-command.ts'

export function enableCommand(): Command {
  return newCommand('enable', 'enable a user who was disabled')
    .description(
      prose(`Enables a user who was disabled: the password, passkeys, access keys, and devices work again. Sessions that ended stay ended.
Works on DATABASE_URL, else on the database in MUSTER_DATA, whether or not a server is running.`),
    )
    .argument('<email>', 'e-mail address of the user')
    .action(run)
}

async function run(email: string, { json }: { json?: boolean }): Promise<void> {
  const [{ enableUser }, { withInstallation }] = await Promise.all([
    import('@muster/server/features/users/user-administration.ts'),
    import('../../installation.ts'),
  ])
  const enabled = await withInstallation(({ db }) => enableUser(db, email), { mustExist: true })
  if (json) return console.log(JSON.stringify(enabled))
  console.log(`Enabled ${email}.`)
}
