import type { ResolvedFilter } from '@muster/filter'
import { sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import { allOf, isAnyOf } from '../../db/sorted-page.ts'
import { noTables } from '../filters/sql/filter-scope.ts'
import { insideCondition, isInside } from '../filters/sql/reachable-devices.ts'
import type { Device } from './device.ts'
import { type AttributesRead, type DeviceRow, deviceColumns, devicesAsRows, toDevice } from './device-row.ts'

/** Omits unknown IDs and devices that the caller cannot reach. */
export async function selectDevices(
  db: Database,
  accountId: string,
  {
    ids,
    attributes,
    inside,
  }: { ids: readonly string[]; attributes: AttributesRead; inside: ResolvedFilter | undefined },
): Promise<Device[]> {
  const conditions = inside === undefined ? [] : [insideCondition(accountId, inside, noTables())]
  const { rows } = await sql<DeviceRow>`${devicesAsRows}
    select ${deviceColumns(attributes, { device: 'd', live: 'l' })}
    from device d join device_live l on l.account_id = d.account_id and l.device_id = d.id
    where ${allOf([sql`d.account_id = ${accountId}`, isAnyOf(sql`d.id`, ids), ...conditions])}`.execute(db)
  return rows.map((row) => toDevice(row, attributes))
}

export async function selectReached(
  db: Database,
  accountId: string,
  { ids, inside }: { ids: readonly string[]; inside: ResolvedFilter | undefined },
): Promise<string[]> {
  const conditions = [
    sql`account_id = ${accountId}`,
    isAnyOf(sql`id`, ids),
    ...isInside(accountId, inside, sql`device.id`),
  ]
  const { rows } = await sql<{ id: string }>`select id from device where ${allOf(conditions)}`.execute(db)
  return rows.map(({ id }) => id)
}

export async function deviceExists(
  db: Database,
  accountId: string,
  { id, inside }: { id: string; inside: ResolvedFilter | undefined },
): Promise<boolean> {
  const conditions = [sql`account_id = ${accountId}`, sql`id = ${id}`, ...isInside(accountId, inside, sql`device.id`)]
  const { rows } = await sql`select from device where ${allOf(conditions)}`.execute(db)
  return rows.length > 0
}
