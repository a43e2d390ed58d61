import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import type { Config } from '../config.ts'
import { emailSender, type Message } from './smtp-sender.ts'

export interface Mailer {
  /**
   * Sends a message in the background. `onDone` receives whether the mail server accepted the message. When the Muster
   * server closes, it waits until the attempt to send and `onDone` have finished.
   */
  send(message: Message, onDone: (isSent: boolean) => Promise<void>): void
}

/**
 * Returns undefined if neither MUSTER_SMTP_URL nor MUSTER_SMTP_FROM is set. Throws a StartError if only one of them is
 * set.
 */
export function openMailer(
  app: FastifyInstance,
  config: Pick<Config, 'smtpUrl' | 'smtpFrom'>,
  log: FastifyBaseLogger,
): Mailer | undefined {
  const deliver = emailSender(config, log)
  if (deliver === undefined) return undefined
  const running = new Set<Promise<void>>()
  app.addHook('onClose', async () => {
    await Promise.all(running)
  })

  return {
    send(message, onDone) {
      const work = deliver(message)
        .then(onDone)
        .catch((error: unknown) => log.error({ err: error }, 'cannot record whether an email was sent'))
        .finally(() => running.delete(work))
      running.add(work)
    },
  }
}
