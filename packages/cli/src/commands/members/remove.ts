import { findMember } from '../../members/members.ts'
import { type ClientOptions, newClientCommand } from '../../options/new-command.ts'
import { withDeletion } from '../with-deletion.ts'

interface Options extends ClientOptions {
  disableKeys?: boolean
}

export function buildCommand() {
  const command = newClientCommand('remove')
    .description(`Remove members from the account. Within a second, their sessions, personal keys, streams, and
download links lose access to the account. Account keys that they created remain valid unless you pass
--disable-keys. Only owners can remove owners.`)
    .argument('<member...>', 'email addresses or IDs')
    .option('--disable-keys', 'also disable the account keys that these members created')
  return withDeletion<Options>(command, {
    noun: 'member',
    verb: 'Remove',
    work: async (muster, emailOrId, { disableKeys = false }) => {
      const { person } = await findMember(muster, emailOrId)
      await muster.mutations.removeMember({ personId: person.id, disableKeys })
    },
  })
}
