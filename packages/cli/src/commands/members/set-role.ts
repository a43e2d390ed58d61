import type { Command } from 'commander'
import { findMember, findRole, memberColumns } from '../../members/members.ts'
import { type ClientOptions, newClientCommand } from '../../options/new-command.ts'
import { printJson, printOne } from '../../output/print-result.ts'
import { openMuster } from '../../server/open-muster.ts'

export function buildCommand(): Command {
  return newClientCommand('set-role')
    .description(
      'Change the role of a member. The change takes effect within a second. Only owners can make a member an owner or change the role of an owner.',
    )
    .argument('<member>', 'email address or ID')
    .argument('<role>', 'name or ID of the role')
    .action(run)
}

async function run(emailOrId: string, role: string, options: ClientOptions): Promise<void> {
  const muster = await openMuster(options, 4)
  const [{ person }, { id }] = [await findMember(muster, emailOrId), await findRole(muster, role)]
  const member = await muster.mutations.setMemberRole({ personId: person.id, roleId: id })
  await (options.json ? printJson(member) : printOne(member, memberColumns))
}
