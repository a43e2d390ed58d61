import { type Database, query } from '../../../db/database.ts'

export interface StoredAttempt {
  /** The SHA-256 hash of the state. */
  id: string
  /** The SHA-256 hash of the browser's cookie. */
  browserHash: Buffer
  verifier: string
  nonce: string
  returnTo: string
  /** The SHA-256 hash of the token in the invitation that the person opened, or null without an invitation. */
  invitationHash: Buffer | null
  /** The signed-in person who links an identity, or null if the attempt is a sign-in. */
  personId: string | null
  expires: Date
}

export async function insertAttempt(db: Database, attempt: StoredAttempt): Promise<void> {
  await db
    .insertInto('sso_attempt')
    .values({
      id: attempt.id,
      browser_hash: attempt.browserHash,
      verifier: attempt.verifier,
      nonce: attempt.nonce,
      return_to: attempt.returnTo,
      invitation_hash: attempt.invitationHash,
      person_id: attempt.personId,
      expires: attempt.expires,
    })
    .execute()
}

/** Deletes an attempt, because it must work only once. Ignores expired attempts and attempts from other browsers. */
export async function takeAttempt(
  db: Database,
  { id, browserHash }: Pick<StoredAttempt, 'id' | 'browserHash'>,
  now: Date,
): Promise<StoredAttempt | undefined> {
  const [row] = await query<StoredAttempt>(
    db,
    `delete from sso_attempt where id = $1 and browser_hash = $2 and expires > $3
     returning id, browser_hash as "browserHash", verifier, nonce, return_to as "returnTo",
       invitation_hash as "invitationHash", person_id as "personId", expires`,
    [id, browserHash, now],
  )
  return row
}

export interface NewSession {
  id: string
  token: string
  personId: string
  address: string
  agent: string
  created: Date
  expires: Date
  /** When the session ends even if it is in use. Null if use extends the session. */
  ends: Date | null
  method: string
}

/** Waits for a concurrent transaction that has locked the person, such as one that disables the person. */
export async function insertSession(db: Database, session: NewSession): Promise<void> {
  const { id, token, personId, address, agent, created, expires, ends, method } = session
  await db
    .insertInto('session')
    .values({
      ...{ account_id: personId, id, token, address, agent, method, ends },
      ...{ created, updated: created, expires },
    })
    .execute()
}

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
