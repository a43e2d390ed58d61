import { type Command, Option } from 'commander'
import { type ListOptions, newListCommand } from '../../options/new-command.ts'
import { chooseColumns } from '../../output/column.ts'
import { printList } from '../../output/print-list.ts'
import { openMuster } from '../../server/open-muster.ts'
import { pageSizeFor } from '../../server/pages.ts'
import { deliveryColumns, deliveryFields } from '../../webhooks/webhook-columns.ts'

interface Options extends ListOptions {
  failed?: true
}

const usual = ['id', 'created', 'event', 'status', 'attempts', 'httpStatus', 'nextAttempt', 'error']

export function buildCommand(): Command {
  return newListCommand('deliveries', { limit: 100 })
    .argument('<id>', 'webhook ID, as shown by "muster webhooks list"')
    .addOption(new Option('--failed', 'list only deliveries that failed permanently'))
    .action(run)
}

async function run(webhookId: string, { failed, ...options }: Options): Promise<void> {
  const columns = chooseColumns(options.columns, { known: deliveryColumns, usual })
  const muster = await openMuster(options, 6)
  const size = pageSizeFor(options.limit)
  const items = muster.deliveries({ webhookId, size, failed, select: deliveryFields })
  await printList({ items, columns, options, empty: 'No deliveries found.' })
}
