import type { Command } from 'commander'
import { findInvitation } from '../../members/members.ts'
import { printInvitation } from '../../members/print-invitation.ts'
import { type ClientOptions, newClientCommand } from '../../options/new-command.ts'
import { openMuster } from '../../server/open-muster.ts'

export function buildCommand(): Command {
  return newClientCommand('resend')
    .description(
      'Create a new link for an invitation, and print the link. The previous link becomes invalid. If the invitation has an email address and the server can send email, the server also emails the link.',
    )
    .argument('<invitation>', 'ID or email address')
    .action(run)
}

async function run(emailOrId: string, options: ClientOptions): Promise<void> {
  const muster = await openMuster(options, 4)
  const { id } = await findInvitation(muster, emailOrId)
  await printInvitation(await muster.mutations.resendInvitation({ id }), options)
}
