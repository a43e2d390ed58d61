import { optionalSetting } from './setting.ts'
import { mailAddress, smtpUrl } from './values.ts'

export const mailSettings = {
  smtpUrl: optionalSetting({
    name: 'MUSTER_SMTP_URL',
    meaning:
      'URL of the mail server through which Muster sends invitations and links to set new passwords. With smtp://user:password@host:587, Muster encrypts the connection if the mail server supports STARTTLS. With smtps://user:password@host:465, it always encrypts the connection. Requires MUSTER_SMTP_FROM. Not set: Muster sends no email, and you must send the links yourself.',
    secret: true,
    parse: smtpUrl,
  }),
  smtpFrom: optionalSetting({
    name: 'MUSTER_SMTP_FROM',
    meaning: 'Sender of emails, such as muster@example.com or Muster <muster@example.com>. Requires MUSTER_SMTP_URL.',
    parse: mailAddress,
  }),
}
