import type { Command } from 'commander'
import { keyColumns, keyFields } from '../../keys/key-columns.ts'
import { type ListOptions, newListCommand } from '../../options/new-command.ts'
import { chooseColumns } from '../../output/column.ts'
import { printList } from '../../output/print-list.ts'
import { openMuster } from '../../server/open-muster.ts'

const usual = ['key', 'name', 'enabled', 'readOnly', 'algorithm', 'expires', 'lastUsed']

export function buildCommand(): Command {
  return newListCommand('list', { limit: Number.POSITIVE_INFINITY }).action(run)
}

async function run(options: ListOptions): Promise<void> {
  const columns = chooseColumns(options.columns, { known: keyColumns, usual })
  const muster = await openMuster(options, 4)
  const { login } = await muster.select({ login: { accessKeys: keyFields } })
  await printList({ items: login?.accessKeys ?? [], columns, options, empty: 'No access keys found.' })
}
