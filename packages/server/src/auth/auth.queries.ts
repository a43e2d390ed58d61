import { sql } from 'kysely'
import { type Database, query } from '../db/database.ts'

export interface KeyRow {
  key: string
  name: string | null
  account_id: string
  email: string
  founder_email: string
  /** The person who created the key, if recorded. */
  made_by: string | null
  permissions: string[] | null
  enabled: boolean
  user_disabled: boolean
  read_only: boolean
  require_digest: boolean
  encrypted_secret: Buffer | null
  public_key: string | null
  expires: Date | null
}

/** Requests name a key but no account, so only this query looks up rows without an account ID. */
export function selectKeys(db: Database, keys: readonly string[]): Promise<KeyRow[]> {
  return query<KeyRow>(
    db,
    `select key, access_key.name, account_id, coalesce(contact_email, email) as email, email as founder_email, made_by, permissions, enabled, disabled is not null as user_disabled, read_only, require_digest,
       encrypted_secret, public_key, expires
     from access_key join account on account.id = account_id where key = any($1)`,
    [keys],
  )
}

export interface KeyUse {
  accountId: string
  key: string
  at: Date
}

/** Skips keys that another process updated within the last minute. */
export async function writeLastUsed(db: Database, uses: readonly KeyUse[]): Promise<void> {
  await query(
    db,
    `update access_key set last_used = uses.at
     from unnest($1::text[], $2::text[], $3::timestamptz[]) as uses (account_id, key, at)
     where access_key.account_id = uses.account_id and access_key.key = uses.key
       and (last_used is null or last_used < uses.at - interval '59 seconds')`,
    [uses.map((use) => use.accountId), uses.map((use) => use.key), uses.map((use) => use.at)],
  )
}

/** Returns false if any process has already stored the nonce. */
export async function insertNonce(db: Database, key: string, nonce: string, expires: Date): Promise<boolean> {
  const result = await db
    .insertInto('used_nonce')
    .values({ key, nonce, expires })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  return (result.numInsertedOrUpdatedRows ?? 0n) > 0n
}

/**
 * Deletes a limited number of expired nonces, and skips rows that another process is deleting. The nonces must also be expired
 * by the database's clock, because nonces that are still valid must be kept if a server's clock jumps ahead.
 */
export async function deleteExpiredNonces(db: Database, now: Date): Promise<void> {
  await sql`
    delete from used_nonce where (key, nonce) in (
      select key, nonce from used_nonce where expires < least(${now}, clock_timestamp()) order by expires limit 5000 for update skip locked
    )`.execute(db)
}
