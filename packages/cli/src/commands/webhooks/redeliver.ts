import { type Command, Option } from 'commander'
import { usageError } from '../../errors/cli-error.ts'
import { pastMoment } from '../../options/moment.ts'
import { type ClientOptions, newClientCommand } from '../../options/new-command.ts'
import { printJson, say } from '../../output/print-result.ts'
import { openMuster } from '../../server/open-muster.ts'

interface Options extends ClientOptions {
  failed?: true
  since?: string
}

const MONTH_MS = 30 * 86_400_000

export function buildCommand(): Command {
  return newClientCommand('redeliver')
    .argument('<id>', 'webhook ID, as shown by "muster webhooks list"')
    .argument('[delivery]', 'delivery ID, as shown by "muster webhooks deliveries"')
    .addOption(new Option('--failed', 'resend all permanently failed deliveries that were created in the last 30 days'))
    .option(
      '--since <when>',
      'resend all permanently failed deliveries that were created since this time: a date, or a duration before now, such as 12h',
      pastMoment,
    )
    .action(run)
}

async function run(webhookId: string, deliveryId: string | undefined, options: Options): Promise<void> {
  const since = options.since ?? (options.failed ? new Date(Date.now() - MONTH_MS).toISOString() : undefined)
  if ((deliveryId === undefined) === (since === undefined)) {
    throw usageError('pass a delivery ID or an option that selects deliveries (--failed or --since), but not both')
  }
  const muster = await openMuster(options, 4)
  const count = await muster.mutations.redeliver(
    deliveryId === undefined ? { webhookId, since } : { webhookId, deliveryId },
  )
  if (options.json) return printJson({ redelivered: count })
  await say(count === 1 ? 'Resending 1 delivery' : `Resending ${count} deliveries`)
}
