import type { EventType } from '@muster/client'
import type { Command } from 'commander'
import { eventTypes } from '../../events/event-types.ts'
import { type ClientOptions, newClientCommand, prose } from '../../options/new-command.ts'
import { openMuster } from '../../server/open-muster.ts'
import { printWebhook } from '../../webhooks/print-webhook.ts'

interface Options extends ClientOptions {
  name?: string
  events?: EventType[]
  disabled?: boolean
}

export function buildCommand(): Command {
  return newClientCommand('create')
    .description(
      prose(`Create a webhook, which sends events to a URL, and print the secret that the receiver uses to verify
deliveries. The secret is shown only once. To send a test event, run "muster webhooks test".`),
    )
    .argument('<url>', 'http or https URL; its address must be public unless the server allows other addresses')
    .option('--name <name>', 'purpose of the webhook')
    .option(
      '--events <types>',
      'event types, such as device.state,attribute.change (default: device.state,service.state)',
      eventTypes,
    )
    .option('--disabled', 'create the webhook disabled')
    .action(run)
}

async function run(url: string, { name, events, disabled = false, ...options }: Options): Promise<void> {
  const muster = await openMuster(options, 4)
  await printWebhook(await muster.mutations.createWebhook({ url, name, events, enabled: !disabled }), options)
}
