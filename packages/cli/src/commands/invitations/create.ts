import type { Command } from 'commander'
import { findRole } from '../../members/members.ts'
import { printInvitation } from '../../members/print-invitation.ts'
import { futureMoment } from '../../options/moment.ts'
import { type ClientOptions, newClientCommand } from '../../options/new-command.ts'
import { openMuster } from '../../server/open-muster.ts'

interface Options extends ClientOptions {
  role: string
  expires?: string
}

export function buildCommand(): Command {
  return newClientCommand('create')
    .description(`Invite a person to the account, and print a link to join. If you specify an email address and the
server can send email, the server also emails the link. The link is shown only once and is valid for one person. Anyone
who has the link can join, so send it only to the person whom you invite.`)
    .argument('[email]', 'email address of the person to invite')
    .requiredOption('--role <role>', 'name or ID of the role to assign; required')
    .option(
      '--expires <when>',
      'expiry, at most 30 days from now: a date, or a duration such as 12h (default: 7d)',
      futureMoment,
    )
    .action(run)
}

async function run(email: string | undefined, { role, expires, ...options }: Options): Promise<void> {
  const muster = await openMuster(options, 4)
  const { id } = await findRole(muster, role)
  await printInvitation(await muster.mutations.createInvitation({ roleId: id, email, expires }), options)
}
