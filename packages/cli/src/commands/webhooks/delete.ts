import { newClientCommand } from '../../options/new-command.ts'
import { withDeletion } from '../with-deletion.ts'

export function buildCommand() {
  const command = newClientCommand('delete')
    .description('Delete webhooks and their deliveries.')
    .argument('<id...>', 'webhook IDs, as shown by "muster webhooks list"')
  return withDeletion(command, { noun: 'webhook', work: (muster, id) => muster.mutations.deleteWebhook({ id }) })
}
