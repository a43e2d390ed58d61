import { randomUUID } from 'node:crypto'
import type { Database } from '../../src/db/database.ts'

export interface TestAccount {
  id: string
  email: string
}

/**
 * Creates an account without a password. Hashing a password takes a tenth of a second of CPU time, and few tests sign
 * in.
 */
export async function createAccount(db: Database): Promise<TestAccount> {
  const account = { id: randomUUID(), email: `${randomUUID()}@example.com` }
  await insertAccount(db, account)
  return account
}

export async function insertAccount(db: Database, account: TestAccount & { password_hash?: string }): Promise<void> {
  const { id } = account
  const person = { ...account, email_confirmed: true }
  await db.insertInto('person').values(person).execute()
  await db.insertInto('account').values(account).execute()
  const membership = { account_id: id, person_id: id, role_id: 'owner', source: 'founder' }
  await db.insertInto('membership').values(membership).execute()
}
