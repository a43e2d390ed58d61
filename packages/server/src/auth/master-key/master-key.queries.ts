import { type Database, query } from '../../db/database.ts'

const CHECK = 'master_key_check'
/** This setting exists only during a rotation, when some secrets may be encrypted under the previous master key. */
const FORMER_CHECK = 'former_master_key_check'

export interface KeyChecks {
  current: string | undefined
  former: string | undefined
}

export async function selectChecks(db: Database): Promise<KeyChecks> {
  const rows = await db.selectFrom('server_setting').selectAll().where('name', 'in', [CHECK, FORMER_CHECK]).execute()
  const find = (wanted: string): string | undefined => rows.find(({ name }) => name === wanted)?.value
  return { current: find(CHECK), former: find(FORMER_CHECK) }
}

export async function insertCheck(db: Database, value: string): Promise<void> {
  await db.insertInto('server_setting').values({ name: CHECK, value }).execute()
}

/** Returns the current check value. The lock prevents a rotation from beginning before the transaction ends. */
export async function lockCheck(transaction: Database): Promise<string | undefined> {
  const row = await transaction
    .selectFrom('server_setting')
    .select('value')
    .where('name', '=', CHECK)
    .forShare()
    .executeTakeFirst()
  return row?.value
}

/** Makes `next` the current check value, after waiting for transactions that encrypt under the previous key. */
export async function replaceCheck(transaction: Database, next: string): Promise<void> {
  await transaction.selectFrom('server_setting').select('name').where('name', '=', CHECK).forUpdate().execute()
  await query(
    transaction,
    `insert into server_setting (name, value) select $1, value from server_setting where name = $2`,
    [FORMER_CHECK, CHECK],
  )
  await transaction.updateTable('server_setting').set({ value: next }).where('name', '=', CHECK).execute()
}

export async function deleteFormerCheck(db: Database): Promise<void> {
  await db.deleteFrom('server_setting').where('name', '=', FORMER_CHECK).execute()
}

export interface StoredSecret {
  accountId: string
  id: string
  encrypted: (Buffer | null)[]
}

export interface SecretPlace {
  table: 'access_key' | 'restricted_key' | 'webhook' | 'sso_session' | 'bulk_job'
  id: 'key' | 'id' | 'session_id'
  columns: readonly string[]
}

/**
 * Lists every column that contains values encrypted by `Secrets`. Access keys move only from `access_key` to
 * `restricted_key`, so a pass in this order does not miss a key.
 */
export const secretPlaces: readonly SecretPlace[] = [
  { table: 'access_key', id: 'key', columns: ['encrypted_secret'] },
  { table: 'restricted_key', id: 'key', columns: ['encrypted_secret'] },
  { table: 'webhook', id: 'id', columns: ['encrypted_secret', 'former_secret'] },
  { table: 'sso_session', id: 'session_id', columns: ['encrypted_id_token'] },
  { table: 'bulk_job', id: 'id', columns: ['encrypted_secret'] },
]

export type Cursor = Pick<StoredSecret, 'accountId' | 'id'>

export function selectSecrets(
  db: Database,
  { table, id, columns }: SecretPlace,
  { after, size }: { after: Cursor; size: number },
): Promise<StoredSecret[]> {
  return query(
    db,
    `select account_id as "accountId", ${id} as id, array[${columns.join(', ')}] as encrypted from ${table}
     where (account_id, ${id}) > ($1, $2) order by account_id, ${id} limit $3`,
    [after.accountId, after.id, size],
  )
}

export interface Reencrypted extends Cursor {
  before: Buffer
  after: Buffer
}

/** Skips secrets that have changed since they were read. */
export async function writeSecrets(
  db: Database,
  { table, id }: SecretPlace,
  { column, secrets }: { column: string; secrets: readonly Reencrypted[] },
): Promise<void> {
  await query(
    db,
    `update ${table} as present set ${column} = written.after
     from unnest($1::text[], $2::text[], $3::bytea[], $4::bytea[]) as written (account_id, id, before, after)
     where present.account_id = written.account_id and present.${id} = written.id and present.${column} = written.before`,
    [
      secrets.map(({ accountId }) => accountId),
      secrets.map((each) => each.id),
      secrets.map(({ before }) => before),
      secrets.map(({ after }) => after),
    ],
  )
}
