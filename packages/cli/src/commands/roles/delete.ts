import { findRole } from '../../members/members.ts'
import { newClientCommand } from '../../options/new-command.ts'
import { withDeletion } from '../with-deletion.ts'

export function buildCommand() {
  const command = newClientCommand('delete')
    .description('Delete custom roles. You cannot delete a role that a member or an open invitation has.')
    .argument('<role...>', 'names or IDs')
  return withDeletion(command, {
    noun: 'role',
    work: async (muster, nameOrId) => muster.mutations.deleteRole({ id: (await findRole(muster, nameOrId)).id }),
  })
}
