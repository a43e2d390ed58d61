import { sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import { isAnyOf } from '../../db/sorted-page.ts'
import type { Device } from './device.ts'
import { type AttributesRead, type DeviceRow, deviceColumns, devicesAsRows, toDevice } from './device-row.ts'

/** Returns devices by ID, in any order. Omits unknown IDs and other users' devices. */
export async function selectDevices(
  db: Database,
  accountId: string,
  { ids, attributes }: { ids: readonly string[]; attributes: AttributesRead },
): Promise<Device[]> {
  const { rows } = await sql<DeviceRow>`${devicesAsRows}
    select ${deviceColumns(attributes, { device: 'd', live: 'l' })}
    from device d join device_live l on l.account_id = d.account_id and l.device_id = d.id
    where d.account_id = ${accountId} and ${isAnyOf(sql`d.id`, ids)}`.execute(db)
  return rows.map((row) => toDevice(row, attributes))
}

export async function deviceExists(db: Database, accountId: string, id: string): Promise<boolean> {
  const { rows } = await sql`select from device where account_id = ${accountId} and id = ${id}`.execute(db)
  return rows.length > 0
}
