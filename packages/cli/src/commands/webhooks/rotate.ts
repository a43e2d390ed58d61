import { type Command, InvalidArgumentError } from 'commander'
import { span } from '../../moment.ts'
import { type ClientOptions, newClientCommand, prose } from '../../new-command.ts'
import { openMuster } from '../../open-muster.ts'
import { tellWebhook } from '../../webhooks/tell-webhook.ts'

export function rotateCommand(): Command {
  return newClientCommand('rotate', 'give a webhook a new secret')
    .description(
      prose(`Gives a webhook a new secret and prints it: this once and never again. The old one goes on signing beside it for a while, so that
the receiver can change over.`),
    )
    .argument('<id>', '"muster webhooks list" shows it')
    .option('--overlap <time>', 'how long the old one signs, too: 0s to 7d', overlapOf, 86_400)
    .action(run)
}

function overlapOf(text: string): number {
  const seconds = text === '0' ? 0 : span(text)
  if (seconds <= 604_800) return seconds
  throw new InvalidArgumentError('It may be 7d at most.')
}

async function run(id: string, { overlap, ...options }: ClientOptions & { overlap: number }): Promise<void> {
  const muster = await openMuster(options, 4)
  await tellWebhook(await muster.mutations.rotateWebhookSecret({ id, overlap }), options)
}
