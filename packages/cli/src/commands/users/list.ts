import type { Command } from 'commander'
import { useInstallation } from '../../installation/use-installation.ts'
import { newCommand, type TableOptions, withTableOptions } from '../../options/new-command.ts'
import { chooseColumns } from '../../output/column.ts'
import { printList } from '../../output/print-list.ts'
import { userColumns } from '../../users/user-columns.ts'

const usual = ['email', 'name', 'state', 'accounts', 'signIn', 'lastSignIn']

export function buildCommand(): Command {
  return withTableOptions(newCommand('list'))
    .description(`List the users of the installation. The default columns are email, name, state, accounts, signIn, and
lastSignIn. --columns also accepts id, disabled, devices, accessKeys, sessions, created, and lastUsed (the last use of a
session, or of a personal access key in any account). The columns devices and accessKeys contain the numbers
of devices and access keys of the user's own account. The command connects to the database in DATABASE_URL or, by
default, to the embedded database in MUSTER_DATA, whether or not a server is running.`)
    .action(run)
}

async function run(options: TableOptions): Promise<void> {
  const columns = chooseColumns(options.columns, { known: userColumns, usual })
  const { listUsers } = await import('@muster/server/features/users/user-administration.ts')
  const items = await useInstallation(({ db }) => listUsers(db))
  await printList({ items, columns, options, empty: 'No users found.' })
}
