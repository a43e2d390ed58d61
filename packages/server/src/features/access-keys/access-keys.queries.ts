import { sql } from 'kysely'
import type { KeyPolicy, StoredKeyPolicy } from '../../auth/key-policy-rules.ts'
import { type Database, query } from '../../db/database.ts'
import { namesIn, usualKeyPermissions } from '../../permissions.ts'
import { accessOfKey, restrictionOf, type StoredAccess, storedRestriction } from '../../restriction.ts'
import type { AccessKey } from './access-key.ts'

type KeyRow = Omit<AccessKey, 'permissions' | 'own' | 'within'> & StoredAccess

const columns = `key, name, enabled, read_only as "readOnly", require_digest as "requireDigest", algorithm, created,
  last_used as "lastUsed", expires, kind, made_by as "madeBy", permissions, restriction, networks, rate_share as "rateShare", source,
  replaced_by as "replacedBy", is_restricted as "isRestricted",
  kind = 'personal' and not exists (
    select from membership join person on person.id = person_id and person.disabled is null
    where membership.account_id = $1 and person_id = made_by) as "isWithoutMember",
  case when kind = 'personal' then (
    select coalesce((select max(person_identity.last_used) from person_identity where person_identity.person_id = made_by), membership.created)
    from membership where membership.account_id = $1 and person_id = made_by and source = 'group') end as "lastSignIn"`

const toAccessKey = ({ restriction, permissions, ...row }: KeyRow): AccessKey => ({
  ...row,
  ...accessOfKey({ permissions, restriction }),
})

export async function selectAccessKeys(
  db: Database,
  accountId: string,
  only?: readonly string[],
): Promise<AccessKey[]> {
  const text = `select ${columns} from every_key where account_id = $1 and ($2::text[] is null or key = any($2))
    order by created desc, key`
  return (await query<KeyRow>(db, text, [accountId, only ?? null])).map(toAccessKey)
}

export async function selectPersonalKeys(
  db: Database,
  accountId: string,
  personId: string,
  only?: readonly string[],
): Promise<AccessKey[]> {
  const text = `select ${columns} from every_key where account_id = $1 and kind = 'personal' and made_by = $2
    and ($3::text[] is null or key = any($3)) order by created desc, key`
  return (await query<KeyRow>(db, text, [accountId, personId, only ?? null])).map(toAccessKey)
}

/**
 * Counts the keys that the person created (`made`) and all account keys (`account`). A rotated key does not count while
 * its replacement exists and has not been rotated itself.
 */
export async function countKeys(
  db: Database,
  accountId: string,
  personId: string | null,
): Promise<{ made: number; account: number }> {
  const [counts] = await query<{ made: number; account: number }>(
    db,
    `select count(*) filter (where coalesce(made_by, account_id) = $2)::int as made,
       count(*) filter (where kind = 'account')::int as account
     from every_key as counted where account_id = $1 and not exists (
       select from every_key as newest
       where newest.account_id = $1 and newest.key = counted.replaced_by and newest.replaced_by is null)`,
    [accountId, personId],
  )
  return counts!
}

export async function selectPredecessor(db: Database, accountId: string, key: string): Promise<AccessKey | undefined> {
  const text = `select ${columns} from every_key where account_id = $1 and replaced_by = $2`
  const [row] = await query<KeyRow>(db, text, [accountId, key])
  return row && toAccessKey(row)
}

export async function selectAccessKey(db: Database, accountId: string, key: string): Promise<AccessKey | undefined> {
  const [row] = await query<KeyRow>(db, `select ${columns} from every_key where account_id = $1 and key = $2`, [
    accountId,
    key,
  ])
  return row && toAccessKey(row)
}

/** Searches all accounts, because there is no viewer while the server starts. */
export async function hasKey(db: Database, key: string): Promise<boolean> {
  const row = await db.selectFrom('every_key').select('key').where('key', '=', key).executeTakeFirst()
  return row !== undefined
}

export async function selectKeyPolicy(db: Database, accountId: string): Promise<StoredKeyPolicy | null> {
  const row = await db.selectFrom('account').select('key_policy').where('id', '=', accountId).executeTakeFirst()
  return (row?.key_policy ?? null) as StoredKeyPolicy | null
}

export async function writeKeyPolicy(db: Database, accountId: string, policy: KeyPolicy): Promise<void> {
  await db
    .updateTable('account')
    .set({ key_policy: JSON.stringify(policy) })
    .where('id', '=', accountId)
    .execute()
}

export async function isMember(db: Database, accountId: string, personId: string): Promise<boolean> {
  const rows = await query(
    db,
    `select from membership join person on person.id = person_id and person.disabled is null
     where account_id = $1 and person_id = $2`,
    [accountId, personId],
  )
  return rows.length > 0
}

export type KeyLimits = Pick<AccessKey, 'kind' | 'permissions' | 'own' | 'within' | 'networks' | 'rateShare'>

/**
 * Checks whether the key belongs in the table `restricted_key`. Servers of the previous release must not find such a
 * key, because they do not know its limits.
 */
export const isRestricted = ({ kind, permissions, own, within, networks, rateShare }: KeyLimits): boolean =>
  kind === 'personal' ||
  restrictionOf({ own, within }) !== undefined ||
  (permissions & usualKeyPermissions) !== usualKeyPermissions ||
  networks.length > 0 ||
  rateShare < 100

/** The usual permissions are stored as null, as they are for keys that were created before permissions existed. */
const toStoredPermissions = (permissions: number): string[] | null =>
  permissions === usualKeyPermissions ? null : namesIn(permissions)

/**
 * For a key with a restriction, leaves the list of permissions empty, because servers of earlier releases may ignore
 * the restriction. The permissions are stored with the restriction instead.
 */
function storedAccess(access: Pick<AccessKey, 'permissions' | 'own' | 'within'>) {
  const restriction = storedRestriction(access)
  return restriction === null
    ? { permissions: namesIn(access.permissions), restriction: null }
    : { permissions: [], restriction: JSON.stringify(restriction) }
}

export interface NewAccessKey extends KeyLimits {
  key: string
  name: string | null
  madeBy: string
  source: AccessKey['source']
  created: Date
  readOnly: boolean
  requireDigest: boolean
  expires: Date | null
  algorithm: AccessKey['algorithm']
  encryptedSecret: Buffer | null
  publicKey: string | null
}

export async function insertAccessKey(db: Database, accountId: string, key: NewAccessKey): Promise<void> {
  const values = {
    account_id: accountId,
    key: key.key,
    name: key.name,
    made_by: key.madeBy,
    source: JSON.stringify(key.source),
    created: key.created,
    read_only: key.readOnly,
    require_digest: key.requireDigest,
    expires: key.expires,
    algorithm: key.algorithm,
    encrypted_secret: key.encryptedSecret,
    public_key: key.publicKey,
  }
  if (!isRestricted(key)) {
    await db
      .insertInto('access_key')
      .values({ ...values, permissions: toStoredPermissions(key.permissions) })
      .execute()
    return
  }
  const { kind, networks, rateShare } = key
  await db
    .insertInto('restricted_key')
    .values({ ...values, kind, ...storedAccess(key), networks, rate_share: rateShare })
    .execute()
}

/** Moves a key to the table of restricted keys. Keys never move back to `access_key`. */
export async function moveToRestricted(db: Database, accountId: string, key: string): Promise<void> {
  await query(
    db,
    `insert into restricted_key (account_id, key, name, enabled, read_only, require_digest, algorithm, encrypted_secret,
       public_key, created, expires, last_used, made_by, kind, permissions, source, replaced_by)
     select $1, key, name, enabled, read_only, require_digest, algorithm, encrypted_secret,
       public_key, created, expires, last_used, coalesce(made_by, $1), kind, '{}', source, replaced_by
     from access_key where account_id = $1 and key = $2`,
    [accountId, key],
  )
  await db.deleteFrom('access_key').where('account_id', '=', accountId).where('key', '=', key).execute()
}

export async function writeAccessKey(db: Database, accountId: string, key: AccessKey): Promise<void> {
  const { name, enabled, expires, replacedBy } = key
  if (!key.isRestricted) {
    await db
      .updateTable('access_key')
      .set({ name, enabled, expires, replaced_by: replacedBy, permissions: toStoredPermissions(key.permissions) })
      .where('account_id', '=', accountId)
      .where('key', '=', key.key)
      .execute()
    return
  }
  const { networks, rateShare } = key
  await db
    .updateTable('restricted_key')
    .set({ name, enabled, expires, replaced_by: replacedBy, ...storedAccess(key), networks, rate_share: rateShare })
    .where('account_id', '=', accountId)
    .where('key', '=', key.key)
    .execute()
}

export async function removeAccessKey(db: Database, accountId: string, key: AccessKey): Promise<void> {
  await db
    .deleteFrom(key.isRestricted ? 'restricted_key' : 'access_key')
    .where('account_id', '=', accountId)
    .where('key', '=', key.key)
    .execute()
  await deleteKeyUse(db, accountId, [key])
}

async function deleteKeyUse(db: Database, accountId: string, keys: readonly NamedKey[]): Promise<void> {
  await query(db, 'delete from key_use where account_id = $1 and key = any($2)', [
    accountId,
    keys.map(({ key }) => key),
  ])
}

export type NamedKey = Pick<AccessKey, 'key' | 'name'>

/**
 * Disables the account keys that the person created, and returns those that were enabled. Keys without a recorded
 * creator count as keys of the account's founder.
 */
export async function disableKeysCreatedBy(db: Database, accountId: string, personId: string): Promise<NamedKey[]> {
  const disabled: NamedKey[] = []
  for (const table of ['access_key', 'restricted_key'] as const) {
    const rows = await db
      .updateTable(table)
      .set({ enabled: false })
      .where('account_id', '=', accountId)
      .where(sql`coalesce(made_by, account_id)`, '=', personId)
      .where('kind', '=', 'account')
      .where('enabled', '=', true)
      .returning(['key', 'name'])
      .execute()
    disabled.push(...rows)
  }
  return disabled
}

export async function deletePersonalKeys(db: Database, accountId: string, personId: string): Promise<NamedKey[]> {
  const deleted = await db
    .deleteFrom('restricted_key')
    .where('account_id', '=', accountId)
    .where('made_by', '=', personId)
    .where('kind', '=', 'personal')
    .returning(['key', 'name'])
    .execute()
  await deleteKeyUse(db, accountId, deleted)
  return deleted
}

/** When the transaction commits, notifies every server process that a key was created, changed, or deleted. */
export async function notifyAccessKey(db: Database, channel: string, key: string): Promise<void> {
  await sql`select pg_notify(${channel}, ${key})`.execute(db)
}

export async function notifyAccessKeys(db: Database, accountId: string, channel: string): Promise<void> {
  const rows = await query<{ key: string }>(db, 'select key from every_key where account_id = $1', [accountId])
  // In a cluster, a statement that also reads the keys would run on the account's node, where no process listens.
  await query(db, 'select pg_notify($1, key) from unnest($2::text[]) as key', [channel, rows.map(({ key }) => key)])
}
