import type { Command } from 'commander'
import { type ListOptions, newListCommand } from '../../options/new-command.ts'
import { chooseColumns } from '../../output/column.ts'
import { printList } from '../../output/print-list.ts'
import { openMuster } from '../../server/open-muster.ts'
import { webhookColumns, webhookFields } from '../../webhooks/webhook-columns.ts'

const usual = ['id', 'name', 'url', 'enabled', 'paused', 'events']

export function buildCommand(): Command {
  return newListCommand('list', { limit: Number.POSITIVE_INFINITY }).action(run)
}

async function run(options: ListOptions): Promise<void> {
  const columns = chooseColumns(options.columns, { known: webhookColumns, usual })
  const muster = await openMuster(options, 4)
  const { login } = await muster.select({ login: { webhooks: webhookFields } })
  await printList({ items: login?.webhooks ?? [], columns, options, empty: 'No webhooks found.' })
}
