import { type Database, query } from '../../../db/database.ts'

export interface SsoSession {
  personId: string
  sessionId: string
  issuer: string
  subject: string
  sid: string | null
  encryptedIdToken: Buffer
}

export async function insertSsoSession(db: Database, session: SsoSession): Promise<void> {
  await db
    .insertInto('sso_session')
    .values({
      account_id: session.personId,
      session_id: session.sessionId,
      issuer: session.issuer,
      subject: session.subject,
      sid: session.sid,
      encrypted_id_token: session.encryptedIdToken,
    })
    .execute()
}

export async function findIdToken(
  db: Database,
  { personId, id }: { personId: string; id: string },
): Promise<Buffer | undefined> {
  const row = await db
    .selectFrom('sso_session')
    .select('encrypted_id_token')
    .where('account_id', '=', personId)
    .where('session_id', '=', id)
    .executeTakeFirst()
  return row?.encrypted_id_token ?? undefined
}

export function findSessionsOf(
  db: Database,
  { issuer, sid, subject }: { issuer: string; sid: string | null; subject: string | null },
): Promise<{ personId: string; email: string; id: string }[]> {
  return query(
    db,
    `select sso_session.account_id as "personId", person.email, session_id as id
     from sso_session join person on person.id = sso_session.account_id
     where issuer = $1 and ($2::text is null or sid = $2) and ($3::text is null or subject = $3) limit 1000`,
    [issuer, sid, subject],
  )
}

export async function isLinked(db: Database, personId: string, issuer: string): Promise<boolean> {
  const rows = await query(db, 'select from person_identity where person_id = $1 and issuer = $2 limit 1', [
    personId,
    issuer,
  ])
  return rows.length > 0
}

export async function hasIdentity(
  db: Database,
  personId: string,
  { issuer, subject }: { issuer: string; subject: string },
): Promise<boolean> {
  const row = await db
    .selectFrom('person_identity')
    .select('subject')
    .where('person_id', '=', personId)
    .where('issuer', '=', issuer)
    .where('subject', '=', subject)
    .executeTakeFirst()
  return row !== undefined
}

export async function deleteIdentities(db: Database, personId: string): Promise<void> {
  await db.deleteFrom('person_identity').where('person_id', '=', personId).execute()
}
