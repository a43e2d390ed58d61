import { type Database, query } from '../../../db/database.ts'

export interface AttemptedUser {
  id: string
  email: string
}

export async function findUserOfEmail(db: Database, email: string): Promise<AttemptedUser | undefined> {
  const [row] = await query<AttemptedUser>(
    db,
    `select id, email from person where lower(email) = lower($1::text collate "C") and removed is null`,
    [email],
  )
  return row
}

export async function findUserOfStep(db: Database, identifier: string): Promise<AttemptedUser | undefined> {
  const [row] = await query<AttemptedUser>(
    db,
    `select person.id, person.email from sign_in_step join person on person.id = value where identifier = $1`,
    [identifier],
  )
  return row
}

export async function findUserOfPasskey(db: Database, credentialId: string): Promise<AttemptedUser | undefined> {
  const [row] = await query<AttemptedUser>(
    db,
    `select person.id, person.email from passkey join person on person.id = account_id where credential_id = $1`,
    [credentialId],
  )
  return row
}
