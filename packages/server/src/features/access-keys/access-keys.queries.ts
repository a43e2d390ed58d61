import { type Selectable, sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import type { AccessKey as AccessKeyTable } from '../../db/tables.generated.ts'
import type { AccessKey } from './access-key.ts'

const columns = [
  'key',
  'name',
  'enabled',
  'read_only',
  'require_digest',
  'algorithm',
  'created',
  'last_used',
  'expires',
] as const

type AccessKeyRow = Pick<Selectable<AccessKeyTable>, (typeof columns)[number]>

const toAccessKey = (row: AccessKeyRow): AccessKey => ({
  key: row.key,
  name: row.name,
  enabled: row.enabled,
  readOnly: row.read_only,
  requireDigest: row.require_digest,
  algorithm: row.algorithm as AccessKey['algorithm'],
  created: row.created,
  lastUsed: row.last_used,
  expires: row.expires,
})

/** Returns the account's access keys, newest first. */
export async function selectAccessKeys(db: Database, accountId: string): Promise<AccessKey[]> {
  const rows = await db
    .selectFrom('access_key')
    .select(columns)
    .where('account_id', '=', accountId)
    .orderBy('created', 'desc')
    .orderBy('key')
    .execute()
  return rows.map(toAccessKey)
}

/** Returns a person's own keys in the account, newest first. */
export async function selectPersonalKeys(db: Database, accountId: string, personId: string): Promise<AccessKey[]> {
  const rows = await db
    .selectFrom('access_key')
    .select(columns)
    .where('account_id', '=', accountId)
    .where('kind', '=', 'personal')
    .where('made_by', '=', personId)
    .orderBy('created', 'desc')
    .orderBy('key')
    .execute()
  return rows.map(toAccessKey)
}

export async function countKeys(db: Database, accountId: string): Promise<number> {
  const { count } = await db
    .selectFrom('access_key')
    .select(({ fn }) => fn.countAll<string>().as('count'))
    .where('account_id', '=', accountId)
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** Whether the access key exists, is enabled, and has not expired, and its user is enabled. */
export async function hasUsableKey(db: Database, accountId: string, at: { key: string; now: Date }): Promise<boolean> {
  const row = await db
    .selectFrom('access_key')
    .select('key')
    .where('account_id', '=', accountId)
    .where('key', '=', at.key)
    .where('enabled', '=', true)
    .where(({ or, eb }) => or([eb('expires', 'is', null), eb('expires', '>', at.now)]))
    .where(({ exists, selectFrom }) =>
      exists(selectFrom('account').select('id').where('id', '=', accountId).where('disabled', 'is', null)),
    )
    .executeTakeFirst()
  return row !== undefined
}

export async function selectAccessKey(db: Database, accountId: string, key: string): Promise<AccessKey | undefined> {
  const row = await db
    .selectFrom('access_key')
    .select(columns)
    .where('account_id', '=', accountId)
    .where('key', '=', key)
    .executeTakeFirst()
  return row === undefined ? undefined : toAccessKey(row)
}

/** Whether the key exists in any account. The first start, which has no viewer, needs this check. */
export async function hasKey(db: Database, key: string): Promise<boolean> {
  const row = await db.selectFrom('access_key').select('key').where('key', '=', key).executeTakeFirst()
  return row !== undefined
}

/** Allows only one transaction at a time to add keys to an account. Other changes to the account's data do not wait. */
export async function lockAccount(db: Database, accountId: string): Promise<boolean> {
  const row = await db
    .selectFrom('account')
    .select('id')
    .where('id', '=', accountId)
    .forNoKeyUpdate()
    .executeTakeFirst()
  return row !== undefined
}

export interface NewAccessKey {
  key: string
  name: string | null
  /** The person who creates the key. */
  madeBy: string | null
  readOnly: boolean
  requireDigest: boolean
  expires: Date | null
  algorithm: AccessKey['algorithm']
  encryptedSecret: Buffer | null
  publicKey: string | null
}

export async function insertAccessKey(db: Database, accountId: string, key: NewAccessKey): Promise<AccessKey> {
  const row = await db
    .insertInto('access_key')
    .values({
      account_id: accountId,
      key: key.key,
      name: key.name,
      made_by: key.madeBy,
      read_only: key.readOnly,
      require_digest: key.requireDigest,
      expires: key.expires,
      algorithm: key.algorithm,
      encrypted_secret: key.encryptedSecret,
      public_key: key.publicKey,
    })
    .returning(columns)
    .executeTakeFirstOrThrow()
  return toAccessKey(row)
}

export async function lockAccessKey(db: Database, accountId: string, key: string): Promise<AccessKey | undefined> {
  const row = await db
    .selectFrom('access_key')
    .select(columns)
    .where('account_id', '=', accountId)
    .where('key', '=', key)
    .forUpdate()
    .executeTakeFirst()
  return row === undefined ? undefined : toAccessKey(row)
}

export async function writeAccessKey(db: Database, accountId: string, accessKey: AccessKey): Promise<void> {
  await db
    .updateTable('access_key')
    .set({ name: accessKey.name, enabled: accessKey.enabled })
    .where('account_id', '=', accountId)
    .where('key', '=', accessKey.key)
    .execute()
}

export async function removeAccessKey(db: Database, accountId: string, key: string): Promise<AccessKey | undefined> {
  const row = await db
    .deleteFrom('access_key')
    .where('account_id', '=', accountId)
    .where('key', '=', key)
    .returning(columns)
    .executeTakeFirst()
  return row === undefined ? undefined : toAccessKey(row)
}

/** Disables the enabled account keys that a person created, and returns them. */
export async function disableKeysMadeBy(db: Database, accountId: string, personId: string): Promise<AccessKey[]> {
  const rows = await db
    .updateTable('access_key')
    .set({ enabled: false })
    .where('account_id', '=', accountId)
    .where('made_by', '=', personId)
    .where('kind', '=', 'account')
    .where('enabled', '=', true)
    .returning(columns)
    .execute()
  return rows.map(toAccessKey)
}

/** Notifies every server process about a changed key after the transaction commits. */
export async function notifyAccessKey(db: Database, channel: string, key: string): Promise<void> {
  await sql`select pg_notify(${channel}, ${key})`.execute(db)
}
