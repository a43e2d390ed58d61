import type { ResolvedFilter } from '@muster/filter'
import { sql } from 'kysely'
import type { Database } from '../../../db/database.ts'
import { allOf } from '../../../db/sorted-page.ts'
import { parseTime } from '../../../db/type-parsers.ts'
import type { Place, SortKey } from '../../../graphql/lists/cursor.ts'
import { isInside } from '../../filters/sql/reachable-devices.ts'
import { isOf, type ListedDeviceRow, tables, union } from './device-list.queries.ts'
import { keyOf, sqlKeyOf } from './device-sort.queries.ts'
import { type DeviceOrder, isByTime, isKeyInRow } from './device-sort.ts'

/** Returns undefined if the account has no such device, or if the caller cannot reach it. */
export async function findPlace(
  db: Database,
  accountId: string,
  { order, id, inside }: { order: DeviceOrder; id: string; inside: ResolvedFilter | undefined },
): Promise<Place | undefined> {
  if (order.further.length > 0) return findPlaceByKeys(db, accountId, { order, id, inside })
  const { key, id: column, reads } = keyOf(order)
  const { rows } = await sql<{ id: string; sort_key: string | Date | null }>`
    select ${column} as id, ${key ?? sql`null::text`} as sort_key from ${tables(reads)}
    where ${allOf([isOf(accountId, reads), sql`${column} = ${id}`, ...isInside(accountId, inside, column)])}`.execute(
    db,
  )
  return rows[0] && { id: rows[0].id, key: toSortKey(rows[0].sort_key) }
}

async function findPlaceByKeys(
  db: Database,
  accountId: string,
  { order, id, inside }: { order: DeviceOrder; id: string; inside: ResolvedFilter | undefined },
): Promise<Place | undefined> {
  const orders = [order, ...order.further]
  const reads = orders.map((each) => keyOf(each).reads).reduce(union, { device: true, live: false, context: undefined })
  const keys = orders.map((each) => sqlKeyOf(each).json)
  const { rows } = await sql<{ keys: SortKey[] }>`
    select jsonb_build_array(${sql.join(keys)}) as keys from ${tables(reads)}
    where ${allOf([isOf(accountId, reads), sql`d.id = ${id}`, ...isInside(accountId, inside, sql`d.id`)])}`.execute(db)
  return rows[0] && { id, key: rows[0].keys }
}

export function placeOf(row: ListedDeviceRow, order: DeviceOrder): Place {
  if (order.further.length > 0) return { id: row[0], key: JSON.parse(row.at(-1) as string) as SortKey[] }
  if (order.by === 'id') return { id: row[0], key: null }
  const key = isKeyInRow(order) ? row[1] : (row.at(-1) as string | null)
  return { id: row[0], key: key !== null && isByTime(order) ? parseTime(key).getTime() : key }
}

/** Milliseconds are exact, because the database stores times in whole milliseconds. */
const toSortKey = (key: string | Date | null): SortKey => (key instanceof Date ? key.getTime() : key)
