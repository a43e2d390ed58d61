import type { Command } from 'commander'
import { listMembers, memberColumns } from '../../members/members.ts'
import { type ListOptions, newListCommand } from '../../options/new-command.ts'
import { chooseColumns } from '../../output/column.ts'
import { printList } from '../../output/print-list.ts'
import { openMuster } from '../../server/open-muster.ts'

const usual = ['email', 'name', 'role', 'source', 'accountKeys', 'lastUsed']

export function buildCommand(): Command {
  return newListCommand('list', { limit: Number.POSITIVE_INFINITY }).action(run)
}

async function run(options: ListOptions): Promise<void> {
  const columns = chooseColumns(options.columns, { known: memberColumns, usual })
  const items = await listMembers(await openMuster(options, 4))
  await printList({ items, columns, options, empty: 'No members found.' })
}
