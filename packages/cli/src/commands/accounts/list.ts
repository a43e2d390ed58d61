import type { Command } from 'commander'
import { newCommand, type TableOptions, withTableOptions } from '../../options/new-command.ts'

const usual = ['id', 'email', 'name', 'owners', 'members', 'devices']

export function buildCommand(): Command {
  return withTableOptions(newCommand('list'))
    .description(`List the accounts of the installation. The default columns are id, email, name, owners, members, and
devices. --columns also accepts disabled, accessKeys, and created. The command connects to the database in DATABASE_URL
or, by default, to the embedded database in MUSTER_DATA, whether or not a server is running.`)
    .action(run)
}

async function run(options: TableOptions): Promise<void> {
  const [{ listAccounts }, { withInstallation }, { accountColumns }, { chooseColumns }, { printList }] =
    await Promise.all([
      import('@muster/server/features/users/account-administration.ts'),
      import('../../installation/migrate-and-set-up.ts'),
      import('../../users/account-columns.ts'),
      import('../../output/column.ts'),
      import('../../output/print-list.ts'),
    ])
  const columns = chooseColumns(options.columns, { known: accountColumns, usual })
  const items = await withInstallation(({ db }) => listAccounts(db), { mustExist: true })
  const limit = Number.POSITIVE_INFINITY
  await printList({ items, columns, options: { ...options, limit }, empty: 'No accounts found.' })
}
