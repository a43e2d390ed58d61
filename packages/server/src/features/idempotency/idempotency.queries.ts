import { sql } from 'kysely'
import type { Database } from '../../db/database.ts'

/** Identifies a caller's Idempotency-Key, so that callers with equal keys do not receive each other's responses. */
export interface KeyOfCaller {
  accountId: string
  caller: string
  key: string
}

export interface IdempotencyRecord {
  fingerprint: Buffer
  kind: string
  id: string
  /** The response's `data` as JSON, or null if the response was not stored. */
  response: string | null
}

export function findRecord(
  db: Database,
  { accountId, caller, key }: KeyOfCaller,
  now: Date,
): Promise<IdempotencyRecord | undefined> {
  return db
    .selectFrom('idempotency_record')
    .select(['fingerprint', 'created_kind as kind', 'created_id as id', 'response'])
    .where('account_id', '=', accountId)
    .where('caller', '=', caller)
    .where('key', '=', key)
    .where('expires', '>', now)
    .executeTakeFirst()
}

/** Locks the key until the transaction ends. Returns false if another transaction has locked the key. */
export async function tryLockKey(transaction: Database, { accountId, caller, key }: KeyOfCaller): Promise<boolean> {
  const { rows } = await sql<{ locked: boolean }>`
    select pg_try_advisory_xact_lock(hashtextextended(${JSON.stringify([accountId, caller, key])}, 0)) as locked`.execute(
    transaction,
  )
  return rows[0]?.locked === true
}

/** Inserts a record or replaces the expired record of the same key. */
export async function insertRecord(
  transaction: Database,
  { accountId, caller, key }: KeyOfCaller,
  { fingerprint, kind, id, response, expires }: IdempotencyRecord & { expires: Date },
): Promise<void> {
  const values = { fingerprint, created_kind: kind, created_id: id, response, expires }
  await transaction
    .insertInto('idempotency_record')
    .values({ account_id: accountId, caller, key, ...values })
    .onConflict((conflict) => conflict.columns(['account_id', 'caller', 'key']).doUpdateSet(values))
    .execute()
}

export async function countRecords(db: Database, accountId: string, now: Date): Promise<number> {
  const { count } = await db
    .selectFrom('idempotency_record')
    .select(({ fn }) => fn.countAll<string>().as('count'))
    .where('account_id', '=', accountId)
    .where('expires', '>', now)
    .executeTakeFirstOrThrow()
  return Number(count)
}

export async function selectAccountsWithExpired(db: Database, now: Date): Promise<string[]> {
  const rows = await db
    .selectFrom('idempotency_record')
    .select('account_id as id')
    .distinct()
    .where('expires', '<=', now)
    .limit(1_000)
    .execute()
  return rows.map(({ id }) => id)
}

export async function deleteExpired(
  db: Database,
  accountId: string,
  { now, size }: { now: Date; size: number },
): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from idempotency_record where account_id = ${accountId} and (caller, key) in (
      select caller, key from idempotency_record where account_id = ${accountId} and expires <= ${now} limit ${size})`.execute(
    db,
  )
  return Number(numAffectedRows ?? 0)
}
