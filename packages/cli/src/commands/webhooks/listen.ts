import type { EventType } from '@muster/client'
import { type Command, Option } from 'commander'
import { CliError, usageError } from '../../errors/cli-error.ts'
import { exitCodes } from '../../errors/exit-codes.ts'
import { eventTypeNames, eventTypes } from '../../events/event-types.ts'
import { type ClientOptions, newClientCommand } from '../../options/new-command.ts'
import { wholeNumber } from '../../options/option-values.ts'
import { openMuster } from '../../server/open-muster.ts'
import { onInterrupt } from '../../terminal/interrupt.ts'
import { receiveDeliveries } from '../../webhooks/receiver.ts'

interface Options extends ClientOptions {
  host: string
  port: number
  secret?: string
  create?: true
  url?: string
  events?: EventType[]
  answer: number
}

export function buildCommand(): Command {
  return newClientCommand('listen')
    .description(`Receive and print deliveries until Ctrl-C, and verify their signatures with the secret in
MUSTER_WEBHOOK_SECRET. With --create, the command creates a webhook, uses its secret instead, and deletes the webhook at
the end. The server must be able to reach this machine. If the URL has a local address, such as 127.0.0.1, the server's
MUSTER_WEBHOOK_ALLOW must include this address.`)
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--port <port>', 'port to listen on; 0 for a free port', wholeNumber(0, 65_535), 8080)
    .addOption(new Option('--create', 'create a webhook and delete it when the command ends'))
    .option('--url <url>', 'with --create, URL that the webhook sends to (default: http://HOST:PORT)')
    .option(
      '--events <types>',
      'with --create, event types to send, such as device.state,attribute.change (default: all)',
      eventTypes,
    )
    .option(
      '--answer <status>',
      'HTTP status to respond with, to test how the server reacts',
      wholeNumber(200, 599),
      204,
    )
    .action(run)
}

async function run({ host, port, create, url, events, answer, ...options }: Options): Promise<void> {
  const given = process.env.MUSTER_WEBHOOK_SECRET
  if (!create && !given) {
    throw usageError(
      'missing secret for verifying deliveries',
      'Set MUSTER_WEBHOOK_SECRET to the secret of the webhook, or pass --create to create a webhook.',
    )
  }
  const interruption = onInterrupt(() => {})
  let secret = given ?? ''
  const receiver = await receiveDeliveries({ host, port, answer, json: options.json ?? false, secret: () => secret })
  try {
    if (!create) {
      console.error(`Listening on ${receiver.url}. Press Ctrl-C to stop.`)
      return await receiver.until(interruption.signal)
    }
    const muster = await openMuster(options, 4)
    const webhook = await muster.mutations.createWebhook({
      url: url ?? receiver.url,
      name: 'muster webhooks listen',
      events: events ?? (await eventTypeNames(muster)),
    })
    secret = webhook.secret ?? ''
    try {
      console.error(
        `Listening on ${receiver.url} for the webhook ${webhook.id}. Press Ctrl-C to stop and delete the webhook.`,
      )
      await receiver.until(interruption.signal)
    } finally {
      await muster.mutations.deleteWebhook({ id: webhook.id }).catch((error: Error) => {
        const hint = `To delete the webhook, run: muster webhooks delete ${webhook.id} --yes`
        throw new CliError(`cannot delete the webhook ${webhook.id}: ${error.message}`, {
          hint,
          exitCode: exitCodes.failed,
        })
      })
    }
  } finally {
    await receiver.close()
    interruption.release()
  }
}
