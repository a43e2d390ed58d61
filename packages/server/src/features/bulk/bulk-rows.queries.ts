import type { ResolvedFilter } from '@muster/filter'
import { sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import type { NewDevice } from '../devices/changes/bulk-registration.queries.ts'
import type { Sql } from '../filters/sql/filter-scope.ts'
import { isEachInside } from '../filters/sql/reachable-devices.ts'
import type { CsvRow } from './bulk-job.ts'

export interface Place {
  accountId: string
  jobId: string
}

export interface RowItem {
  id: string
  name: string
  row: CsvRow
  key: string | null
}

export interface PreparedItem extends Omit<RowItem, 'row'> {
  /**
   * If `changes` contains a device and the job has no operations, the row has no cells except the ID. `changes`
   * contains the other values.
   */
  row: CsvRow | Pick<CsvRow, 'line' | 'id' | 'isNew'>
  /** The device that the row registers, if it is known before the preview. */
  changes: { register?: NewDevice }
}

export const rowOf = (item: Sql): Sql =>
  sql`case when ${item}.row ? 'name' then ${item}.row else ${item}.row || (${item}.changes -> 'register') end`

interface Keys {
  ids: readonly string[]
  hardwareIds: readonly string[]
  names: readonly string[]
  inside: ResolvedFilter | undefined
}

export interface KeyedDevice {
  id: string
  name: string
  hardwareId: string | null
}

/** Omits devices that the caller cannot reach. */
export async function selectByKeys(
  db: Database,
  accountId: string,
  { ids, hardwareIds, names, inside }: Keys,
): Promise<KeyedDevice[]> {
  const reached = inside === undefined ? sql`true` : isEachInside(accountId, inside, sql`d.id`)
  const device = sql`select d.id, d.name, d.hardware_id as "hardwareId" from device d
    where d.account_id = ${accountId} and ${reached}`
  const { rows } = await sql<KeyedDevice>`
    ${device} and d.id = any(${ids})
    union ${device} and d.hardware_id = any(${hardwareIds})
    union ${device} and d.name collate natural_order = any(${names}) and d.name = any(${names})`.execute(db)
  return rows
}

/** Returns those of `names` that devices outside the job have. Ignores devices that the caller cannot reach. */
export async function selectNamesOfOtherDevices(
  db: Database,
  { accountId, jobId }: Place,
  { names, inside }: Pick<Keys, 'names' | 'inside'>,
): Promise<Set<string>> {
  const reached = inside === undefined ? sql`true` : isEachInside(accountId, inside, sql`other.id`)
  const { rows } = await sql<{ name: string }>`
    select other.name from device other
    where other.account_id = ${accountId} and ${reached}
      and other.name collate natural_order = any(${names}) and other.name = any(${names})
      and not exists (
        select from bulk_item
        where account_id = ${accountId} and job_id = ${jobId} and device_id = other.id)`.execute(db)
  return new Set(rows.map(({ name }) => name))
}

/** Returns the device IDs of the added rows. Omits rows whose device or key the job already contains. */
export async function insertRows(
  db: Database,
  { accountId, jobId }: Place,
  items: readonly PreparedItem[],
): Promise<string[]> {
  const column = (value: (item: PreparedItem) => string | null): Sql => sql`${items.map(value)}::text[]`
  // PostgreSQL reads hundreds of rows faster from arrays than from one large JSON value.
  const columns = [
    column(({ id }) => id),
    column(({ name }) => name),
    column(({ row }) => JSON.stringify(row)),
    column(({ key }) => key),
    column(({ changes }) => JSON.stringify(changes)),
    column(({ changes }) => (changes.register === undefined ? null : 'REGISTER')),
  ]
  const { rows } = await sql<{ id: string }>`
    insert into bulk_item (account_id, job_id, device_id, name, row, row_key, changes, outcome)
    select ${accountId}, ${jobId}, item.id, item.name, item.row::jsonb, item.key, item.changes::jsonb, item.outcome
    from unnest(${sql.join(columns)}) as item (id, name, row, key, changes, outcome)
    on conflict do nothing returning device_id as id`.execute(db)
  return rows.map(({ id }) => id)
}

export async function findLine(
  db: Database,
  { accountId, jobId }: Place,
  { id, key }: Pick<RowItem, 'id' | 'key'>,
): Promise<number | undefined> {
  const { rows } = await sql<{ line: number }>`
    select (row ->> 'line')::int as line from bulk_item
    where account_id = ${accountId} and job_id = ${jobId} and (device_id = ${id} or row_key = ${key})`.execute(db)
  return rows[0]?.line
}

export async function selectRows(
  db: Database,
  { accountId, jobId }: Place,
  ids: readonly string[],
): Promise<Map<string, CsvRow>> {
  const { rows } = await sql<{ id: string; row: CsvRow }>`
    select device_id as id, ${rowOf(sql`item`)} as row from bulk_item item
    where account_id = ${accountId} and job_id = ${jobId} and device_id = any(${ids}) and row is not null`.execute(db)
  return new Map(rows.map(({ id, row }) => [id, row]))
}

/** Returns the IDs of the devices that have neither connected nor changed since the job registered them. */
export async function selectUntouched(
  db: Database,
  { accountId, jobId }: Place,
  ids: readonly string[],
): Promise<Set<string>> {
  const { rows } = await sql<{ id: string }>`
    select d.id from device d join device_live l on l.account_id = d.account_id and l.device_id = d.id
    where d.account_id = ${accountId} and d.id = any(${ids}) and l.last_reported is null and l.state = 'inactive'
      and not exists (
        select from event e
        where e.account_id = ${accountId} and e.device_id = d.id and e.source ->> 'id' is distinct from ${jobId})`.execute(
    db,
  )
  return new Set(rows.map(({ id }) => id))
}
