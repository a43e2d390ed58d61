import { type Database, query } from '../../db/database.ts'

export interface TotpRow {
  personId: string
  secret: string
  backupCodes: string
}

/** Locks the table against writes until the transaction ends, and reads all rows. */
export async function lockTotp(transaction: Database): Promise<TotpRow[]> {
  await query(transaction, 'lock table account_totp in share row exclusive mode', [])
  return query(
    transaction,
    `select account_id as "personId", encrypted_secret as secret, encrypted_backup_codes as "backupCodes"
     from account_totp order by account_id`,
    [],
  )
}

export async function writeTotp(transaction: Database, { personId, secret, backupCodes }: TotpRow): Promise<void> {
  await transaction
    .updateTable('account_totp')
    .set({ encrypted_secret: secret, encrypted_backup_codes: backupCodes })
    .where('account_id', '=', personId)
    .execute()
}

/** Returns when the person's lock after wrong codes ends or ended. Returns null or undefined if there is no lock. */
export async function findTotpLock(db: Database, personId: string): Promise<Date | null | undefined> {
  const row = await db
    .selectFrom('account_totp')
    .select('locked_until')
    .where('account_id', '=', personId)
    .executeTakeFirst()
  return row?.locked_until
}

export async function deleteTotp(transaction: Database, personId: string): Promise<void> {
  await transaction.updateTable('person').set({ totp_enabled: false }).where('id', '=', personId).execute()
  await transaction.deleteFrom('account_totp').where('account_id', '=', personId).execute()
}
