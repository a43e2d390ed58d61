import type { EventType } from '@muster/client'
import type { Command } from 'commander'
import { eventTypes } from '../../events/event-types.ts'
import { type ClientOptions, newClientCommand } from '../../options/new-command.ts'
import { openMuster } from '../../server/open-muster.ts'
import { printWebhook } from '../../webhooks/print-webhook.ts'
import { type SelectionOptions, selectionArguments, withSelectionOptions } from '../../webhooks/selection-options.ts'

interface Options extends ClientOptions, SelectionOptions {
  name?: string
  events?: EventType[]
  disabled?: boolean
}

export function buildCommand(): Command {
  const command = newClientCommand('create')
    .description(`Create a webhook, which sends events to a URL, and print the secret that the receiver uses to verify
deliveries. The secret is shown only once. To send a test event, run "muster webhooks test".

muster webhooks create https://example.com/hook --where 'site = oslo' --events device.state`)
    .argument('<url>', 'http or https URL; its address must be public unless the server allows other addresses')
    .option('--name <name>', 'purpose of the webhook')
    .option(
      '--events <types>',
      'event types, such as device.state,attribute.change (default: device.state,service.state)',
      eventTypes,
    )
    .option('--disabled', 'create the webhook without enabling it')
  return withSelectionOptions(command).action(run)
}

async function run(url: string, options: Options): Promise<void> {
  const { name, events, disabled = false } = options
  const muster = await openMuster(options, 4)
  const selection = await selectionArguments(muster, options)
  const webhook = await muster.mutations.createWebhook({ url, name, events, enabled: !disabled, ...selection })
  await printWebhook(webhook, options)
}
