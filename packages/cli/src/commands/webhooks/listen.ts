import type { EventType } from '@muster/client'
import { type Command, Option } from 'commander'
import { CliError, exitCodes, usageError } from '../../cli-error.ts'
import { eventTypes } from '../../events/event-types.ts'
import { type ClientOptions, newClientCommand, prose, wholeNumber } from '../../new-command.ts'
import { openMuster } from '../../open-muster.ts'
import { onInterrupt } from '../../process.ts'
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

export function listenCommand(): Command {
  return newClientCommand('listen', 'be a receiver: print and verify what is delivered')
    .description(
      prose(`Receives deliveries, checks their signatures with the secret in MUSTER_WEBHOOK_SECRET, and prints them until Ctrl-C. With --create
it makes the webhook itself and deletes it at its end; the server must be able to reach this machine, and a receiver on a local
address must be in its MUSTER_WEBHOOK_ALLOW, such as 127.0.0.0/8.`),
    )
    .option('--host <address>', 'where to listen', '127.0.0.1')
    .option('--port <port>', '0 for one that is free', wholeNumber(0, 65_535), 8080)
    .addOption(new Option('--create', 'make a webhook for as long as this runs'))
    .option('--url <url>', 'what the webhook calls this receiver, with --create (default: http://HOST:PORT)')
    .option('--events <types>', 'what the webhook tells of, with --create (default: all)', eventTypes)
    .option(
      '--answer <status>',
      'HTTP status to answer with, to see what the server does then',
      wholeNumber(200, 599),
      204,
    )
    .action(run)
}

async function run({ host, port, create, url, events, answer, ...options }: Options): Promise<void> {
  const given = process.env.MUSTER_WEBHOOK_SECRET
  if (!create && !given) {
    throw usageError(
      'there is no secret to check deliveries with',
      'Set MUSTER_WEBHOOK_SECRET, or make a webhook with --create.',
    )
  }
  const interruption = onInterrupt(() => {})
  let secret = given ?? ''
  const receiver = await receiveDeliveries({ host, port, answer, json: options.json ?? false, secret: () => secret })
  try {
    if (!create) {
      console.error(`Listening on ${receiver.url}; Ctrl-C ends.`)
      return await receiver.until(interruption.signal)
    }
    const muster = await openMuster(options, 4)
    const webhook = await muster.mutations.createWebhook({
      url: url ?? receiver.url,
      name: 'muster webhooks listen',
      events: events ?? (await allEventTypes()),
    })
    secret = webhook.secret ?? ''
    try {
      console.error(`Listening on ${receiver.url} for the webhook ${webhook.id}; Ctrl-C deletes it and ends.`)
      await receiver.until(interruption.signal)
    } finally {
      await muster.mutations.deleteWebhook({ id: webhook.id }).catch((error: Error) => {
        const hint = `Delete it: muster webhooks delete ${webhook.id} --yes`
        throw new CliError(`the webhook ${webhook.id} is still there: ${error.message}`, {
          hint,
          exitCode: exitCodes.failed,
        })
      })
    }
  } finally {
    await receiver.close()
    interruption.release()
  }

  async function allEventTypes(): Promise<EventType[]> {
    const { eventTypeNames } = await import('../../events/event-type-names.ts')
    return eventTypeNames(await openMuster(options, 4))
  }
}
