import type { Command } from 'commander'
import { listRoles, roleColumns } from '../../members/members.ts'
import { type ListOptions, newListCommand } from '../../options/new-command.ts'
import { chooseColumns } from '../../output/column.ts'
import { printList } from '../../output/print-list.ts'
import { openMuster } from '../../server/open-muster.ts'

const usual = ['id', 'name', 'members', 'permissions']

export function buildCommand(): Command {
  return newListCommand('list', { limit: Number.POSITIVE_INFINITY }).action(run)
}

async function run(options: ListOptions): Promise<void> {
  const columns = chooseColumns(options.columns, { known: roleColumns, usual })
  const items = await listRoles(await openMuster(options, 4))
  await printList({ items, columns, options, empty: 'No roles found.' })
}
