import type { Command } from 'commander'
import { findRole } from '../../members/members.ts'
import { type ClientOptions, newClientCommand } from '../../options/new-command.ts'
import { openMuster } from '../../server/open-muster.ts'
import { confirm } from '../../terminal/confirm.ts'
import { deleteEach } from '../delete-each.ts'

export function buildCommand(): Command {
  return newClientCommand('delete')
    .description('Delete custom roles. You cannot delete a role that a member or an open invitation has.')
    .argument('<role...>', 'names or IDs')
    .option('-y, --yes', 'skip the confirmation prompt')
    .action(run)
}

async function run(roles: string[], { yes, ...options }: ClientOptions & { yes?: boolean }): Promise<void> {
  const muster = await openMuster(options, 4)
  await confirm(`Delete ${roles.length === 1 ? `the role ${roles[0]}` : `${roles.length} roles`}`, { yes })
  await deleteEach(roles, {
    options,
    work: async (nameOrId) => muster.mutations.deleteRole({ id: (await findRole(muster, nameOrId)).id }),
  })
}
