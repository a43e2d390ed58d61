import { randomUUID } from 'node:crypto'
import type { Database } from '../../src/db/database.ts'

export interface TestAccount {
  id: string
  email: string
}

/**
 * Inserts a user without a password. Hashing a password takes a tenth of a second of CPU time, and few tests sign in.
 */
export async function createAccount(db: Database): Promise<TestAccount> {
  const account = { id: randomUUID(), email: `${randomUUID()}@example.com` }
  await db.insertInto('account').values(account).execute()
  return account
}
