import { type Database, query } from '../../../db/database.ts'
import type { Invitation } from './invitation.ts'

const columns = `id, email, role_id as "roleId", created, expires, inviter_id as "inviterId", source,
  email_status as "emailStatus"`

export function selectInvitations(
  db: Database,
  accountId: string,
  { after, limit }: { after: Date; limit: number },
): Promise<Invitation[]> {
  return query(
    db,
    `select ${columns} from invitation where account_id = $1 and expires > $2 order by created desc, id limit $3`,
    [accountId, after, limit],
  )
}

export async function findInvitation(db: Database, accountId: string, id: string): Promise<Invitation | undefined> {
  const [row] = await query<Invitation>(db, `select ${columns} from invitation where account_id = $1 and id = $2`, [
    accountId,
    id,
  ])
  return row
}

export async function countInvitations(db: Database, accountId: string, now: Date): Promise<number> {
  const [row] = await query<{ count: number }>(
    db,
    'select count(*)::int as count from invitation where account_id = $1 and expires > $2',
    [accountId, now],
  )
  return row!.count
}

export async function lockInvitation(
  transaction: Database,
  accountId: string,
  id: string,
): Promise<Invitation | undefined> {
  const [row] = await query<Invitation>(
    transaction,
    `select ${columns} from invitation where account_id = $1 and id = $2 for update`,
    [accountId, id],
  )
  return row
}

export async function findByToken(
  db: Database,
  tokenHash: Buffer,
  now: Date,
): Promise<{ accountId: string; id: string } | undefined> {
  const [row] = await query<{ accountId: string; id: string }>(
    db,
    'select account_id as "accountId", id from invitation where token_hash = $1 and expires > $2',
    [tokenHash, now],
  )
  return row
}

export async function existsForEmail(db: Database, email: string, now: Date): Promise<boolean> {
  // Citus rejects `exists (select from …)` if the subquery reads several shards.
  const rows = await query(db, 'select id from invitation where lower(email) = lower($1) and expires > $2 limit 1', [
    email,
    now,
  ])
  return rows.length > 0
}

type NewInvitation = Invitation & { tokenHash: Buffer }

export async function insertInvitation(db: Database, accountId: string, invitation: NewInvitation): Promise<void> {
  const { id, email, roleId } = invitation
  await db
    .insertInto('invitation')
    .values({ account_id: accountId, id, email, role_id: roleId, ...linkColumns(invitation) })
    .execute()
}

/** The columns that change when a new link replaces the previous link. */
const linkColumns = ({ created, expires, inviterId, source, emailStatus, tokenHash }: NewInvitation) => ({
  token_hash: tokenHash,
  created,
  expires,
  inviter_id: inviterId,
  source: JSON.stringify(source),
  email_status: emailStatus,
})

export async function renewInvitation(db: Database, accountId: string, invitation: NewInvitation): Promise<void> {
  await db
    .updateTable('invitation')
    .set(linkColumns(invitation))
    .where('account_id', '=', accountId)
    .where('id', '=', invitation.id)
    .execute()
}

export async function writeEmailStatus(
  db: Database,
  accountId: string,
  { id, emailStatus }: Pick<Invitation, 'id' | 'emailStatus'>,
): Promise<void> {
  await db
    .updateTable('invitation')
    .set({ email_status: emailStatus })
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .execute()
}

export async function removeInvitation(db: Database, accountId: string, id: string): Promise<void> {
  await db.deleteFrom('invitation').where('account_id', '=', accountId).where('id', '=', id).execute()
}

export async function deleteInvitationsBefore(db: Database, before: Date): Promise<void> {
  await query(db, 'delete from invitation where expires < $1', [before])
}
