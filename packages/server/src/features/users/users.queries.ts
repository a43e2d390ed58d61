import type { Database } from '../../db/database.ts'
import type { UserDetails } from './user.ts'

export interface NewAccount {
  id: string
  email: string
  name: string | null
  passwordHash: string
}

/** False when the e-mail address is taken. */
export async function insertAccount(db: Database, account: NewAccount): Promise<boolean> {
  const { id, email, name, passwordHash } = account
  const result = await db
    .insertInto('account')
    .values({ id, email, name, password_hash: passwordHash })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  return (result.numInsertedOrUpdatedRows ?? 0n) > 0n
}

export async function findAccount(db: Database, accountId: string): Promise<UserDetails | undefined> {
  return db
    .selectFrom('account')
    .select(['id', 'email', 'name', 'created'])
    .where('id', '=', accountId)
    .executeTakeFirst()
}

export async function hasAccounts(db: Database): Promise<boolean> {
  const row = await db.selectFrom('account').select('id').limit(1).executeTakeFirst()
  return row !== undefined
}
