import type { Selected } from '@muster/client'
import type { Command } from 'commander'
import { CliError } from '../../errors/cli-error.ts'
import { exitCodes } from '../../errors/exit-codes.ts'
import { keyFields } from '../../keys/key-columns.ts'
import { tightenedKey } from '../../keys/tightened-key.ts'
import { type ListOptions, newListCommand } from '../../options/new-command.ts'
import { wholeNumber } from '../../options/option-values.ts'
import { type Column, chooseColumns } from '../../output/column.ts'
import { printList } from '../../output/print-list.ts'
import { say } from '../../output/print-result.ts'
import { openMuster } from '../../server/open-muster.ts'

interface Options extends ListOptions {
  days: number
  tighten?: boolean
}

type UseRow = Selected<'KeyUse', typeof useFields>

const useFields = { field: true, permission: true, uses: true, rejected: true, lastUsed: true } as const

const useColumns: readonly Column<UseRow>[] = [
  { name: 'field', value: ({ field }) => field },
  { name: 'permission', value: ({ permission }) => permission },
  { name: 'uses', value: ({ uses }) => uses },
  { name: 'rejected', value: ({ rejected }) => rejected },
  { name: 'lastUsed', value: ({ lastUsed }) => lastUsed, time: true },
]

export function buildCommand(): Command {
  return newListCommand('usage', { limit: Number.POSITIVE_INFINITY })
    .description(`List the API fields that an access key used, most recently used first, with the numbers of uses and of
rejected attempts. The server saves the numbers once a minute, so the list can be up to a minute old.

With --tighten, the command instead prints a "muster keys create" command for a key with the same restrictions and only
the permissions that were used.`)
    .argument('<key>', 'access key ID, as shown by "muster keys list"')
    .option('--days <count>', 'number of days to include, 1 to 400', wholeNumber(1, 400), 90)
    .option('--tighten', 'print a command that creates a key with only the permissions that were used')
    .action(run)
}

async function run(given: string, { days, tighten, ...options }: Options): Promise<void> {
  const columns = chooseColumns(options.columns, { known: useColumns, usual: useColumns.map(({ name }) => name) })
  const muster = await openMuster(options, 6)
  const { login } = await muster.select({
    login: { accessKeys: { $: { key: [given] }, ...keyFields, usage: { $: { days }, ...useFields } } },
  })
  const [key] = login?.accessKeys ?? []
  if (key === undefined) {
    const hint = 'To list all keys, run "muster keys list".'
    throw new CliError(`no access key has the ID ${JSON.stringify(given)}`, { exitCode: exitCodes.notFound, hint })
  }
  if (!tighten) {
    await printList({ items: key.usage, columns, options, empty: 'No uses found.' })
    return
  }
  const used = new Set(key.usage.filter(({ uses }) => uses > 0).map(({ permission }) => permission))
  await say(
    tightenedKey(
      key,
      key.permissions.filter((permission) => used.has(permission)),
      days,
    ),
  )
}
