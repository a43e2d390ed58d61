import type { Command } from 'commander'
import { CliError } from '../../errors/cli-error.ts'
import { type ClientOptions, newClientCommand } from '../../options/new-command.ts'
import { printJson, printOne } from '../../output/print-result.ts'
import { openMuster } from '../../server/open-muster.ts'
import { deliveryColumns, deliveryFields } from '../../webhooks/webhook-columns.ts'

export function buildCommand(): Command {
  return newClientCommand('test')
    .description('Send a test event to a webhook, even if it is disabled or paused, and print the result.')
    .argument('<id>', 'webhook ID, as shown by "muster webhooks list"')
    .action(run)
}

const shown = ['id', 'status', 'httpStatus', 'milliseconds', 'error', 'response']

async function run(id: string, options: ClientOptions): Promise<void> {
  const muster = await openMuster(options, 4)
  const { testWebhook: delivery } = await muster.mutate({ testWebhook: { $: { id }, ...deliveryFields } })
  if (options.json) await printJson(delivery)
  else
    await printOne(
      delivery,
      deliveryColumns.filter(({ name }) => shown.includes(name)),
    )
  if (delivery.status === 'delivered') return
  throw new CliError('the receiver did not accept the test event', {
    hint: 'For the cause, see the HTTP status and the error in the output. The receiver must respond with a status from 200 to 299 within 15 seconds.',
  })
}
