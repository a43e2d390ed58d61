import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import type { Config } from '../config.ts'
import { StartError } from '../start-error.ts'

export interface Message {
  /** One address, never a list. */
  to: string
  subject: string
  text: string
}

export interface Mailer {
  /**
   * Sends a message after the response. `onDone` then receives whether the mail server accepted the message. Closing
   * the server waits for both.
   */
  send(message: Message, onDone: (isSent: boolean) => Promise<void>): void
}

const TIMEOUT_MS = 15_000

/** Creates the mailer if the settings name a mail server. Throws StartError if the settings do not belong together. */
export function openMailer(
  app: FastifyInstance,
  { smtpUrl, smtpFrom }: Pick<Config, 'smtpUrl' | 'smtpFrom'>,
  log: FastifyBaseLogger,
): Mailer | undefined {
  if (smtpUrl === undefined && smtpFrom === undefined) return undefined
  if (smtpUrl === undefined || smtpFrom === undefined)
    throw new StartError('Set both MUSTER_SMTP_URL and MUSTER_SMTP_FROM, or neither.')
  const running = new Set<Promise<void>>()
  app.addHook('onClose', async () => {
    await Promise.all(running)
  })

  const deliver = async ({ to, subject, text }: Message): Promise<boolean> => {
    // Imported on first use, because most servers send no email.
    const { createTransport } = await import('nodemailer')
    const timeouts = { connectionTimeout: TIMEOUT_MS, greetingTimeout: TIMEOUT_MS, socketTimeout: TIMEOUT_MS }
    const transport = createTransport({ url: smtpUrl, ...timeouts, disableFileAccess: true, disableUrlAccess: true })
    try {
      // An object is one address, even if it contains a comma.
      await transport.sendMail({ from: smtpFrom, to: { name: '', address: to }, subject, text })
      return true
    } catch (error) {
      // The message may contain the address of the recipient and, from some servers, the content.
      const { code, command, responseCode } = error as { code?: string; command?: string; responseCode?: number }
      log.warn({ code, command, responseCode }, 'cannot send an email')
      return false
    } finally {
      transport.close()
    }
  }

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
