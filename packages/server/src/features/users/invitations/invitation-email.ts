import { countAttempt } from '../../../auth/sessions/sign-in/sign-in.queries.ts'
import type { Context } from '../../../context.ts'
import { findAccount } from '../accounts.queries.ts'
import { getRole } from '../roles/roles.ts'
import type { ShownInvitation } from './invitation.ts'
import { writeEmailStatus } from './invitations.queries.ts'

const HOUR_MS = 3_600_000
const EMAILS_PER_HOUR = 200

export const isSentByEmail = ({ mailer }: Pick<Context, 'mailer'>, email: string | null): boolean =>
  mailer !== undefined && email !== null

/**
 * Sends the invitation by email if the server can send email, and if the invitation has an email address and a link.
 * Sends no email if the account has reached its limit of invitation emails per hour. The link is valid even if no email
 * is sent.
 */
export async function emailInvitation(context: Context, { id, email, link, roleId }: ShownInvitation): Promise<void> {
  const { db, viewer, mailer, clock, log } = context
  if (mailer === undefined || email === null || link === null) return
  const { accountId } = viewer
  const record = (isSent: boolean): Promise<void> =>
    writeEmailStatus(db, accountId, { id, emailStatus: isSent ? 'sent' : 'failed' })
  const now = clock()
  const ends = new Date(now.getTime() + HOUR_MS)
  const { tries } = await countAttempt(db, `email of ${accountId}`, { now, ends })
  if (tries > EMAILS_PER_HOUR) {
    log.warn(
      { accountId },
      `did not email an invitation, because the account has reached its limit of ${EMAILS_PER_HOUR} invitation emails per hour`,
    )
    return record(false)
  }
  const { email: address, name } = (await findAccount(db, accountId))!
  const role = (await getRole(db, accountId, roleId)).name
  mailer.send(messageTo(email, { account: name ?? address, role, link }), record)
}

function messageTo(to: string, { account, role, link }: { account: string; role: string; link: string }) {
  const text = `You are invited to join ${account} on Muster with the role ${role}.

Open this link to accept the invitation. The link works only once. Do not share it, because anyone who has it can join.

${link}

If you did not expect this invitation, ignore this email.
`
  return { to, subject: 'Invitation to Muster', text }
}
