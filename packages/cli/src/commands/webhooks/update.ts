import type { EventType } from '@muster/client'
import { type Command, Option } from 'commander'
import { eventTypes } from '../../events/event-types.ts'
import { assertChanges, nullIfRemoved } from '../../options/changes.ts'
import { type ClientOptions, newClientCommand } from '../../options/new-command.ts'
import { openMuster } from '../../server/open-muster.ts'
import { printWebhook } from '../../webhooks/print-webhook.ts'
import { type SelectionOptions, selectionArguments, withSelectionOptions } from '../../webhooks/selection-options.ts'

interface Options extends ClientOptions, SelectionOptions {
  url?: string
  name?: string | false
  events?: EventType[]
  enable?: true
  disable?: true
}

export function buildCommand(): Command {
  const command = newClientCommand('update')
    .description(`Change only the specified properties of a webhook. --enable or a new URL resumes a paused webhook. If
an invalid view caused the pause, a new filter, view, or context also resumes the webhook. An empty value removes a
filter, a view, or a context, as in --where "".`)
    .argument('<id>', 'webhook ID, as shown by "muster webhooks list"')
    .option('--url <url>', 'URL that the webhook sends to')
    .option('--name <name>', 'purpose of the webhook')
    .option('--no-name', 'remove the name')
    .option('--events <types>', 'event types to send, such as device.state,attribute.change', eventTypes)
    .addOption(new Option('--enable', 'enable the webhook').conflicts('disable'))
    .option('--disable', 'disable the webhook')
  return withSelectionOptions(command).action(run)
}

async function run(id: string, options: Options): Promise<void> {
  const { url, name, events, enable, disable, where, view, context } = options
  const changes = {
    url,
    name: nullIfRemoved(name),
    events,
    enabled: enable ?? (disable ? false : undefined),
  }
  assertChanges({ ...changes, where, view, context })
  const muster = await openMuster(options, 4)
  const selection = await selectionArguments(muster, options)
  await printWebhook(await muster.mutations.updateWebhook({ id, ...changes, ...selection }), options)
}
