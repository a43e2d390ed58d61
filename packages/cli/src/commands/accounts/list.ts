import type { Command } from 'commander'
import { useInstallation } from '../../installation/use-installation.ts'
import { newCommand, type TableOptions, withTableOptions } from '../../options/new-command.ts'
import { chooseColumns } from '../../output/column.ts'
import { printList } from '../../output/print-list.ts'
import { accountColumns } from '../../users/account-columns.ts'

const usual = ['id', 'email', 'name', 'owners', 'members', 'devices']

export function buildCommand(): Command {
  return withTableOptions(newCommand('list'))
    .description(`List the accounts of the installation. The default columns are id, email, name, owners, members, and
devices. --columns also accepts disabled, accessKeys, and created. The command connects to the database in DATABASE_URL
or, by default, to the embedded database in MUSTER_DATA, whether or not a server is running.`)
    .action(run)
}

async function run(options: TableOptions): Promise<void> {
  const columns = chooseColumns(options.columns, { known: accountColumns, usual })
  const { listAccounts } = await import('@muster/server/features/users/account-administration.ts')
  const items = await useInstallation(({ db }) => listAccounts(db))
  await printList({ items, columns, options, empty: 'No accounts found.' })
}
