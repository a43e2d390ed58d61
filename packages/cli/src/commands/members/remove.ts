import type { Command } from 'commander'
import { findMember } from '../../members/members.ts'
import { type ClientOptions, newClientCommand, prose } from '../../options/new-command.ts'
import { openMuster } from '../../server/open-muster.ts'
import { confirm } from '../../terminal/confirm.ts'
import { deleteEach } from '../delete-each.ts'

interface Options extends ClientOptions {
  yes?: boolean
  disableKeys?: boolean
}

export function buildCommand(): Command {
  return newClientCommand('remove')
    .description(
      prose(`Remove members from the account. Within a second, their sessions, personal keys, streams, and
download links lose access to the account. Account keys that they created remain valid unless you pass
--disable-keys. Only owners can remove owners.`),
    )
    .argument('<member...>', 'email addresses or IDs')
    .option('--disable-keys', 'also disable the account keys that these members created')
    .option('-y, --yes', 'skip the confirmation prompt')
    .action(run)
}

async function run(members: string[], { yes, disableKeys = false, ...options }: Options): Promise<void> {
  const muster = await openMuster(options, 4)
  await confirm(`Remove ${members.length === 1 ? `the member ${members[0]}` : `${members.length} members`}`, { yes })
  await deleteEach(members, {
    options,
    verb: 'Removed',
    work: async (emailOrId) => {
      const { person } = await findMember(muster, emailOrId)
      await muster.mutations.removeMember({ personId: person.id, disableKeys })
    },
  })
}
