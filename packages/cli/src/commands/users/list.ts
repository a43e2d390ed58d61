import { type Command, Option } from 'commander'
import { namesWithCommas, newCommand, prose } from '../../new-command.ts'

interface Options {
  json?: boolean
  csv?: boolean
  raw?: boolean
  columns?: string[]
}

const usual = ['email', 'name', 'state', 'devices', 'accessKeys', 'sessions', 'lastUsed']

export function listCommand(): Command {
  return newCommand('list', 'list the users of the installation')
    .description(
      prose(`Lists the users of the installation, with the number of their devices, access keys, and sessions. Works on DATABASE_URL,
else on the database in MUSTER_DATA, whether or not a server is running. Columns: id, email, name, state, disabled, devices, accessKeys,
sessions, created, lastUsed (of a session or an access key).`),
    )
    .addOption(new Option('--csv', 'print CSV, with a header row').conflicts('json'))
    .option('--raw', 'in CSV, write what a spreadsheet would run as a formula without an apostrophe before it')
    .option('--columns <names>', 'columns of the table or CSV, separated by commas', namesWithCommas)
    .action(run)
}

async function run(options: Options): Promise<void> {
  const [{ listUsers }, { withInstallation }, { userColumns }, { chooseColumns }, { printList }] = await Promise.all([
    import('@muster/server/features/users/user-administration.ts'),
    import('../../installation.ts'),
    import('../../users/user-columns.ts'),
    import('../../output/column.ts'),
    import('../../output/print-list.ts'),
  ])
  const columns = chooseColumns(options.columns, { known: userColumns, usual })
  const items = await withInstallation(({ db }) => listUsers(db), { mustExist: true })
  const limit = Number.POSITIVE_INFINITY
  await printList({ items, columns, options: { ...options, limit }, empty: 'There are no users.' })
}
