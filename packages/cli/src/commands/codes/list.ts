import type { Command } from 'commander'
import { codeColumns, codeFields } from '../../codes/code-columns.ts'
import { type ListOptions, newListCommand } from '../../options/new-command.ts'
import { chooseColumns } from '../../output/column.ts'
import { printList } from '../../output/print-list.ts'
import { openMuster } from '../../server/open-muster.ts'

const usual = ['id', 'prefix', 'name', 'used', 'uses', 'expires']

export function buildCommand(): Command {
  return newListCommand('list', { limit: Number.POSITIVE_INFINITY }).action(run)
}

async function run(options: ListOptions): Promise<void> {
  const columns = chooseColumns(options.columns, { known: codeColumns, usual })
  const muster = await openMuster(options, 4)
  const { login } = await muster.select({ login: { registrationCodes: codeFields } })
  await printList({
    items: login?.registrationCodes ?? [],
    columns,
    options,
    empty: 'No registration codes found.',
  })
}
