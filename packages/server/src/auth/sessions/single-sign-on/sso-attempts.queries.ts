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

export type AttemptKey = Pick<StoredAttempt, 'id' | 'browserHash'>

const columns = `id, browser_hash as "browserHash", verifier, nonce, return_to as "returnTo",
  invitation_hash as "invitationHash", person_id as "personId", expires`

const isOpen = 'id = $1 and browser_hash = $2 and expires > $3'

/** Ignores expired attempts and attempts from other browsers. */
export async function findAttempt(
  db: Database,
  { id, browserHash }: AttemptKey,
  now: Date,
): Promise<StoredAttempt | undefined> {
  const [row] = await query<StoredAttempt>(db, `select ${columns} from sso_attempt where ${isOpen}`, [
    id,
    browserHash,
    now,
  ])
  return row
}

/** Deletes an attempt, because it must work only once. Ignores expired attempts and attempts from other browsers. */
export async function takeAttempt(
  db: Database,
  { id, browserHash }: AttemptKey,
  now: Date,
): Promise<StoredAttempt | undefined> {
  const [row] = await query<StoredAttempt>(db, `delete from sso_attempt where ${isOpen} returning ${columns}`, [
    id,
    browserHash,
    now,
  ])
  return row
}

/** Deletes the attempts of a signed-in person to link an identity. */
export async function deleteLinkAttempts(db: Database, personId: string): Promise<void> {
  await db.deleteFrom('sso_attempt').where('person_id', '=', personId).execute()
}
