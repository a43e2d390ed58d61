import { sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import type { ServiceFields } from './new-service.ts'

export interface DeviceServiceRow extends ServiceFields {
  id: string
  /** Whether the device, not its owner, added the service. */
  addedByDevice: boolean
}

/** Locks the services of a device in ID order, and returns them. The caller must already have locked the device. */
export async function lockServicesOfDevice(
  db: Database,
  accountId: string,
  deviceId: string,
): Promise<DeviceServiceRow[]> {
  const { rows } = await sql<DeviceServiceRow>`
    select id, name, application, host, port, enabled, added_by_device as "addedByDevice" from service
    where account_id = ${accountId} and device_id = ${deviceId} order by id for no key update`.execute(db)
  return rows
}

export async function markAddedByDevice(db: Database, accountId: string, id: string): Promise<void> {
  await sql`update service set added_by_device = true where account_id = ${accountId} and id = ${id}`.execute(db)
}
