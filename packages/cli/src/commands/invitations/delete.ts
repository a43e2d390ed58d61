import type { Command } from 'commander'
import { findInvitation } from '../../members/members.ts'
import { type ClientOptions, newClientCommand } from '../../options/new-command.ts'
import { openMuster } from '../../server/open-muster.ts'
import { confirm } from '../../terminal/confirm.ts'
import { deleteEach } from '../delete-each.ts'

export function buildCommand(): Command {
  return newClientCommand('delete')
    .description('Delete invitations. Their links become invalid.')
    .argument('<invitation...>', 'IDs or email addresses')
    .option('-y, --yes', 'skip the confirmation prompt')
    .action(run)
}

async function run(invitations: string[], { yes, ...options }: ClientOptions & { yes?: boolean }): Promise<void> {
  const muster = await openMuster(options, 4)
  const what = invitations.length === 1 ? `the invitation ${invitations[0]}` : `${invitations.length} invitations`
  await confirm(`Delete ${what}`, { yes })
  await deleteEach(invitations, {
    options,
    work: async (emailOrId) => muster.mutations.deleteInvitation({ id: (await findInvitation(muster, emailOrId)).id }),
  })
}
