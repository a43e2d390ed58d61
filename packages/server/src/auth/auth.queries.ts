import { sql } from 'kysely'
import { type Database, query } from '../db/database.ts'
import type { StoredRestriction } from '../restriction.ts'
import type { StoredKeyPolicy } from './key-policy-rules.ts'

export interface KeyRow {
  key: string
  name: string | null
  account_id: string
  email: string
  founder_email: string
  kind: string
  made_by: string | null
  permissions: string[] | null
  restriction: StoredRestriction | null
  /** The role of a personal key's creator. Null if the creator is not an enabled member or the key is not personal. */
  role: string | null
  role_permissions: string[] | null
  role_restriction: StoredRestriction | null
  last_sign_in: Date | null
  /** Networks in CIDR notation. If empty, the key may be used from any address. */
  networks: string[]
  rate_share: number
  enabled: boolean
  user_disabled: boolean
  read_only: boolean
  require_digest: boolean
  encrypted_secret: Buffer | null
  public_key: string | null
  created: Date
  expires: Date | null
  key_policy: StoredKeyPolicy | null
  is_restricted: boolean
}

/** Finds keys in all accounts, because a request names a key but no account. */
export function selectKeys(db: Database, keys: readonly string[]): Promise<KeyRow[]> {
  return query<KeyRow>(
    db,
    `with found as materialized (
       select key, every_key.name, every_key.account_id, coalesce(contact_email, account.email) as email,
         account.email as founder_email, kind, made_by, every_key.permissions, every_key.restriction, networks,
         rate_share, enabled, account.disabled is not null as user_disabled, read_only, require_digest,
         encrypted_secret, public_key, every_key.created, expires, key_policy, is_restricted
       from every_key join account on account.id = every_key.account_id
       where key = any($1)
     ), creator as materialized (
       select membership.account_id, person_id, role_id as role, role.permissions as role_permissions,
         role.restriction as role_restriction,
         case when membership.source = 'group' then coalesce(
           (select max(person_identity.last_used) from person_identity
             where person_identity.person_id = membership.person_id),
           membership.created) end as last_sign_in
       from membership join person on person.id = person_id and person.disabled is null
         left join role on role.account_id = membership.account_id and role.id = role_id
       where (membership.account_id, person_id) in (select account_id, made_by from found where kind = 'personal')
     )
     select found.*, role, role_permissions, role_restriction, last_sign_in
     from found left join creator on kind = 'personal' and creator.account_id = found.account_id
       and person_id = made_by`,
    [keys],
  )
}

export interface KeyUse {
  accountId: string
  key: string
  at: Date
  isRestricted: boolean
}

export async function writeLastUsed(db: Database, uses: readonly KeyUse[]): Promise<void> {
  await query(db, lastUsedText('access_key'), valuesOf(uses))
}

export async function writeRestrictedLastUsed(db: Database, uses: readonly KeyUse[]): Promise<void> {
  await query(db, lastUsedText('restricted_key'), valuesOf(uses))
}

const lastUsedText = (table: 'access_key' | 'restricted_key'): string =>
  `update ${table} set last_used = uses.at
   from unnest($1::text[], $2::text[], $3::timestamptz[], $4::timestamptz[]) as uses (account_id, key, at, before)
   where ${table}.account_id = uses.account_id and ${table}.key = uses.key
     and (last_used is null or last_used < uses.before)`

const valuesOf = (uses: readonly KeyUse[]): unknown[] => [
  uses.map((use) => use.accountId),
  uses.map((use) => use.key),
  uses.map((use) => use.at),
  // Skip keys that any process has updated in the last 59 seconds. Calculate the cutoff here, because a cluster
  // rejects an update that calculates it in SQL.
  uses.map((use) => new Date(use.at.getTime() - 59_000)),
]

export async function isNonceUsed(db: Database, key: string, nonce: string): Promise<boolean> {
  const row = await db
    .selectFrom('used_nonce')
    .select('key')
    .where('key', '=', key)
    .where('nonce', '=', nonce)
    .executeTakeFirst()
  return row !== undefined
}

/** Returns false if the nonce is already stored. */
export async function insertNonce(db: Database, key: string, nonce: string, expires: Date): Promise<boolean> {
  const result = await db
    .insertInto('used_nonce')
    .values({ key, nonce, expires })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  return (result.numInsertedOrUpdatedRows ?? 0n) > 0n
}

/**
 * Deletes nonces that have expired by both the server's clock and the database's clock. Otherwise, a server whose clock
 * jumps ahead would delete nonces that still prevent replays.
 */
export async function deleteExpiredNonces(db: Database, now: Date): Promise<void> {
  await sql`
    delete from used_nonce where (key, nonce) in (
      select key, nonce from used_nonce where expires < least(${now}, clock_timestamp()) order by expires limit 5000 for update skip locked
    )`.execute(db)
}
