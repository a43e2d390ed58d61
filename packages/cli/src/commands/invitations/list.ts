import type { Command } from 'commander'
import { invitationColumns, listInvitations } from '../../members/members.ts'
import { type ListOptions, newListCommand } from '../../options/new-command.ts'
import { chooseColumns } from '../../output/column.ts'
import { printList } from '../../output/print-list.ts'
import { openMuster } from '../../server/open-muster.ts'

const usual = ['id', 'email', 'role', 'invitedBy', 'expires']

export function buildCommand(): Command {
  return newListCommand('list', { limit: Number.POSITIVE_INFINITY })
    .description('List open invitations and invitations that expired in the last seven days, newest first.')
    .action(run)
}

async function run(options: ListOptions): Promise<void> {
  const columns = chooseColumns(options.columns, { known: invitationColumns, usual })
  const items = await listInvitations(await openMuster(options, 4))
  await printList({ items, columns, options, empty: 'No invitations found.' })
}
