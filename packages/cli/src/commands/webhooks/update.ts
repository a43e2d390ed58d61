import type { EventType } from '@muster/client'
import { type Command, Option } from 'commander'
import { usageError } from '../../errors/cli-error.ts'
import { eventTypes } from '../../events/event-types.ts'
import { type ClientOptions, newClientCommand } from '../../options/new-command.ts'
import { openMuster } from '../../server/open-muster.ts'
import { printWebhook } from '../../webhooks/print-webhook.ts'

interface Options extends ClientOptions {
  url?: string
  name?: string | false
  events?: EventType[]
  enable?: true
  disable?: true
}

export function buildCommand(): Command {
  return newClientCommand('update')
    .description('Change only the specified properties of a webhook. --enable or a new URL resumes a paused webhook.')
    .argument('<id>', 'webhook ID, as shown by "muster webhooks list"')
    .option('--url <url>', 'URL to send to')
    .option('--name <name>', 'purpose of the webhook')
    .option('--no-name', 'remove the name')
    .option('--events <types>', 'event types to send, such as device.state,attribute.change', eventTypes)
    .addOption(new Option('--enable', 'enable the webhook').conflicts('disable'))
    .option('--disable', 'disable the webhook')
    .action(run)
}

async function run(id: string, { url, name, events, enable, disable, ...options }: Options): Promise<void> {
  const changes = {
    ...(url !== undefined && { url }),
    ...(typeof name === 'string' && { name }),
    ...(name === false && { name: null }),
    ...(events !== undefined && { events }),
    ...(enable && { enabled: true }),
    ...(disable && { enabled: false }),
  }
  if (Object.keys(changes).length === 0) throw usageError('pass at least one change')
  const muster = await openMuster(options, 4)
  await printWebhook(await muster.mutations.updateWebhook({ id, ...changes }), options)
}
