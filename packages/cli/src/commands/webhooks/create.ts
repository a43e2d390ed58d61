import type { EventType } from '@muster/client'
import type { Command } from 'commander'
import { eventTypes } from '../../events/event-types.ts'
import { type ClientOptions, newClientCommand, prose } from '../../new-command.ts'
import { openMuster } from '../../open-muster.ts'
import { tellWebhook } from '../../webhooks/tell-webhook.ts'

interface Options extends ClientOptions {
  name?: string
  events?: EventType[]
  disabled?: boolean
}

export function createCommand(): Command {
  return newClientCommand('create', 'create a webhook')
    .description(
      prose(`Creates a webhook, which sends events to a URL, and prints the secret that its receiver checks them with: this once and never
again. "muster webhooks test" tries it.`),
    )
    .argument('<url>', 'http or https; of an address that anybody can reach, unless the server allows others')
    .option('--name <name>', 'what it is for')
    .option(
      '--events <types>',
      'such as device.state,attribute.change (default: device.state,service.state)',
      eventTypes,
    )
    .option('--disabled', 'send nothing for now')
    .action(run)
}

async function run(url: string, { name, events, disabled = false, ...options }: Options): Promise<void> {
  const muster = await openMuster(options, 4)
  await tellWebhook(await muster.mutations.createWebhook({ url, name, events, enabled: !disabled }), options)
}
