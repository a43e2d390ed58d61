import { type Command, Option } from 'commander'
import { spanUpTo } from '../../options/moment.ts'
import { type ClientOptions, newClientCommand } from '../../options/new-command.ts'
import { openMuster } from '../../server/open-muster.ts'
import { printWebhook } from '../../webhooks/print-webhook.ts'

export function buildCommand(): Command {
  return newClientCommand('rotate')
    .description(`Create and print a new secret for a webhook. The secret is shown only once. During the overlap, the
server signs deliveries with both secrets.`)
    .argument('<id>', 'webhook ID, as shown by "muster webhooks list"')
    .addOption(
      new Option('--overlap <time>', 'how long the server also signs with the old secret, from 0s to 7d')
        .argParser(spanUpTo(7))
        .default(86_400, '1d'),
    )
    .action(run)
}

async function run(id: string, { overlap, ...options }: ClientOptions & { overlap: number }): Promise<void> {
  const muster = await openMuster(options, 4)
  await printWebhook(await muster.mutations.rotateWebhookSecret({ id, overlap }), options)
}
