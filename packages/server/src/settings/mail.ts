import { setting } from './setting.ts'
import { mailAddress, smtpUrl } from './values.ts'

export const mailSettings = {
  smtpUrl: setting({
    name: 'MUSTER_SMTP_URL',
    meaning:
      'Mail server for invitations and links to set new passwords: smtp://user:password@host:587, which encrypts the connection if the mail server supports STARTTLS, or smtps://user:password@host:465. Not set: Muster sends no email, and invitations are links to copy. Requires MUSTER_SMTP_FROM.',
    default: 'not set',
    secret: true,
    parse: (text) => (text === undefined ? undefined : smtpUrl(text)),
  }),
  smtpFrom: setting({
    name: 'MUSTER_SMTP_FROM',
    meaning: 'Sender of emails, such as muster@example.com or Muster <muster@example.com>.',
    default: 'not set',
    parse: (text) => (text === undefined ? undefined : mailAddress(text)),
  }),
}
