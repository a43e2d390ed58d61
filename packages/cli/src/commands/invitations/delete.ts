import { findInvitation } from '../../members/members.ts'
import { newClientCommand } from '../../options/new-command.ts'
import { withDeletion } from '../with-deletion.ts'

export function buildCommand() {
  const command = newClientCommand('delete')
    .description('Delete invitations. Their links become invalid.')
    .argument('<invitation...>', 'IDs or email addresses')
  return withDeletion(command, {
    noun: 'invitation',
    work: async (muster, emailOrId) =>
      muster.mutations.deleteInvitation({ id: (await findInvitation(muster, emailOrId)).id }),
  })
}
