import { randomUUID } from 'node:crypto'
import type { Database } from '../../src/db/database.ts'

export interface NewAccount {
  id: string
  email: string
}

/** A user without a password: making one takes a tenth of a second of processor time, on purpose, and few tests sign in by it. */
export async function newAccount(db: Database): Promise<NewAccount> {
  const account = { id: randomUUID(), email: `${randomUUID()}@example.com` }
  await db.insertInto('account').values(account).execute()
  return account
}
