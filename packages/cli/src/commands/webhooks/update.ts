import type { EventType } from '@muster/client'
import { type Command, Option } from 'commander'
import { usageError } from '../../cli-error.ts'
import { eventTypes } from '../../events/event-types.ts'
import { type ClientOptions, newClientCommand } from '../../new-command.ts'
import { openMuster } from '../../open-muster.ts'
import { tellWebhook } from '../../webhooks/tell-webhook.ts'

interface Options extends ClientOptions {
  url?: string
  name?: string | false
  events?: EventType[]
  enable?: true
  disable?: true
}

export function updateCommand(): Command {
  return newClientCommand('update', 'change a webhook')
    .description('Changes what is given of a webhook, and nothing else. --enable, and another URL, end a pause.')
    .argument('<id>', '"muster webhooks list" shows it')
    .option('--url <url>', 'where it sends to')
    .option('--name <name>', 'what it is for')
    .option('--no-name', 'without a name')
    .option('--events <types>', 'the types it tells of, such as device.state,attribute.change', eventTypes)
    .addOption(new Option('--enable', 'send').conflicts('disable'))
    .option('--disable', 'send nothing')
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
  if (Object.keys(changes).length === 0) throw usageError('nothing is given to change')
  const muster = await openMuster(options, 4)
  await tellWebhook(await muster.mutations.updateWebhook({ id, ...changes }), options)
}
