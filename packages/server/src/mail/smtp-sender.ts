import type { Config } from '../config.ts'
import { StartError } from '../start-error.ts'

export interface Message {
  /** One address, never a list. */
  to: string
  subject: string
  text: string
}

interface Log {
  warn(fields: object, message: string): void
}

/** Returns whether the mail server accepted the message. */
export type SendEmail = (message: Message) => Promise<boolean>

const TIMEOUT_MS = 15_000

export function emailSender(
  { smtpUrl, smtpFrom }: Pick<Config, 'smtpUrl' | 'smtpFrom'>,
  log: Log,
): SendEmail | undefined {
  if (smtpUrl === undefined && smtpFrom === undefined) return undefined
  if (smtpUrl === undefined || smtpFrom === undefined)
    throw new StartError('Set both MUSTER_SMTP_URL and MUSTER_SMTP_FROM, or neither.')
  return async ({ to, subject, text }) => {
    // nodemailer is imported on first use, because many servers send no email.
    const { createTransport } = await import('nodemailer')
    const timeouts = { connectionTimeout: TIMEOUT_MS, greetingTimeout: TIMEOUT_MS, socketTimeout: TIMEOUT_MS }
    const transport = createTransport({ url: smtpUrl, ...timeouts, disableFileAccess: true, disableUrlAccess: true })
    try {
      // nodemailer treats an object as one address, even if the address contains a comma.
      await transport.sendMail({ from: smtpFrom, to: { name: '', address: to }, subject, text })
      return true
    } catch (error) {
      // The error's message is not logged, because it may contain the recipient's address and the email's content.
      const { code, command, responseCode } = error as { code?: string; command?: string; responseCode?: number }
      log.warn({ code, command, responseCode }, 'cannot send an email')
      return false
    } finally {
      transport.close()
    }
  }
}
