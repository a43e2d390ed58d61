import { type Command, Option } from 'commander'
import { newCommand, prose } from '../../options/new-command.ts'
import { namesWithCommas } from '../../options/option-values.ts'

interface Options {
  json?: boolean
  csv?: boolean
  raw?: boolean
  columns?: string[]
}

const usual = ['id', 'email', 'name', 'owners', 'members', 'devices']

export function buildCommand(): Command {
  return newCommand('list')
    .description(
      prose(`List the accounts of the installation. The default columns are id, email, name, owners, members, and devices.
--columns also accepts disabled, accessKeys, and created. The command connects to the database in DATABASE_URL or, by
default, to the embedded database in MUSTER_DATA, whether or not a server is running.`),
    )
    .addOption(new Option('--csv', 'print CSV with a header row').conflicts('json'))
    .option('--raw', 'with --csv, do not add an apostrophe before values that a spreadsheet would run as formulas')
    .option('--columns <names>', 'comma-separated columns of the table or CSV', namesWithCommas)
    .action(run)
}

async function run(options: Options): Promise<void> {
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
