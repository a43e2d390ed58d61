import assert from 'node:assert/strict'
import { type Kysely, sql } from 'kysely'
import { sendAs } from '../../harness/server-process.ts'
import type { LoadResults } from './load.ts'

/**
 * Inserts events, overrides, access keys, webhooks, deliveries, and registration codes, because `muster seed` creates
 * hardly any rows except devices and services.
 */
export async function addRows(db: Kysely<unknown>): Promise<void> {
  await sql`
    insert into event (account_id, type, device_id, targets)
    select account_id, 'DEVICE_REGISTER', id, jsonb_build_array(id) from device, generate_series(1, 3)`.execute(db)
  await sql`
    insert into attribute_override (account_id, target_id, context, attributes)
    select account_id, id, 'night', '{"site": "night shift"}' from device where right(id, 1) in ('0', '5')`.execute(db)
  await sql`
    insert into access_key (account_id, key, algorithm, encrypted_secret)
    select id, id || '-' || number, 'hmac-sha256', '\\x00' from account, generate_series(1, 100) as number`.execute(db)
  await sql`
    insert into webhook (account_id, id, url, events, encrypted_secret, enabled)
    select id, 'webhook-' || number, 'https://example.com/', '{DEVICE_REGISTER}', '\\x00', false
    from account, generate_series(1, 10) as number`.execute(db)
  await sql`
    insert into webhook_delivery (account_id, webhook_id, id, body, status)
    select account_id, id, 'delivery-' || number, '{}', 'delivered' from webhook, generate_series(1, 500) as number`.execute(
    db,
  )
  await sql`
    insert into registration_code (account_id, id, code_hash, prefix, uses, expires)
    select id, 'code', decode(md5(id), 'hex'), 'abc', 5, now() + interval '1 day' from account`.execute(db)
  await sql`vacuum analyze`.execute(db)
}

export interface Untouched {
  columns: string[]
  rows: number
  sum: string
}

/**
 * Counts and hashes the rows of each table whose rows belong to accounts. Excludes the account whose devices the load
 * changes, and device counts and presence samples, which jobs write. With `before`, reads only the tables and columns
 * in `before`.
 */
export async function untouchedRows(
  db: Kysely<unknown>,
  before?: ReadonlyMap<string, Untouched>,
): Promise<Map<string, Untouched>> {
  const { rows: tables } = await sql<{ name: string; columns: string[] }>`
    select relname as name, array_agg(attname::text order by attname) as columns
    from pg_class join pg_attribute on attrelid = pg_class.oid and attnum > 0 and not attisdropped
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition
      and relname not in ('device_count', 'presence_sample')
    group by relname having 'account_id' = any (array_agg(attname))`.execute(db)
  const found = new Map<string, Untouched>()
  for (const { name, columns } of tables) {
    const kept = before === undefined ? columns : before.get(name)?.columns
    if (kept === undefined) continue
    const list = sql.join(kept.map((column) => sql.ref(column)))
    const { rows } = await sql<{ rows: number; sum: string }>`
      select count(*)::int as rows, coalesce(sum(hashtextextended(row_to_json(kept)::text, 0)::numeric), 0)::text as sum
      from (select ${list} from ${sql.table(name)}
        where account_id <> (select id from account order by created, id limit 1)) as kept`.execute(db)
    found.set(name, { columns: kept, ...rows[0]! })
  }
  return found
}

/** Asserts that the API of the new release returns every acknowledged change. */
export async function assertAcknowledged(
  credentials: Record<string, string>,
  url: string,
  results: LoadResults,
): Promise<void> {
  const devices = new Map<string, { attributes: Record<string, string>; night: Record<string, string> }>()
  const ids = [...results.registered, ...[...results.values.keys()].map((key) => key.split(' ')[0]!)]
  for (let first = 0; first < ids.length; first += 100) {
    const list = JSON.stringify(ids.slice(first, first + 100))
    const document = `{ login { device(id: ${list}) { id attributes night: attributes(context: "night") } } }`
    const { body } = await sendAs(credentials, url, document)
    assert.equal(body.errors, undefined)
    for (const device of body.data.login.device) devices.set(device.id, device)
  }
  for (const id of results.registered) assert.ok(devices.has(id), `${id} was registered, but is missing`)
  for (const [key, possible] of results.values) {
    const [id, context, name] = key.split(' ') as [string, string, string]
    const device = devices.get(id)
    const found = context === '' ? device?.attributes[name] : device?.night[name]
    assert.ok(found !== undefined && possible.includes(found), `${key} is ${found}, expected ${possible.join(' or ')}`)
  }
}
