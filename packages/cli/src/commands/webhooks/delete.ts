import type { Command } from 'commander'
import { type ClientOptions, newClientCommand } from '../../options/new-command.ts'
import { openMuster } from '../../server/open-muster.ts'
import { confirm } from '../../terminal/confirm.ts'
import { deleteEach } from '../delete-each.ts'

export function buildCommand(): Command {
  return newClientCommand('delete')
    .description('Delete webhooks and their deliveries.')
    .argument('<id...>', 'webhook IDs, as shown by "muster webhooks list"')
    .option('-y, --yes', 'skip the confirmation prompt')
    .action(run)
}

async function run(ids: string[], { yes, ...options }: ClientOptions & { yes?: boolean }): Promise<void> {
  const muster = await openMuster(options, 4)
  await confirm(`Delete ${ids.length === 1 ? `the webhook ${ids[0]}` : `${ids.length} webhooks`}`, { yes })
  await deleteEach(ids, { options, work: (id) => muster.mutations.deleteWebhook({ id }) })
}
