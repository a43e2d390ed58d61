import type { Database } from '../../db/database.ts'
import { serverSource } from '../events/event-source.ts'
import type { DeviceKey } from './device-keys.ts'
import { deactivateUnheld, releaseByProcess } from './presence.queries.ts'

/**
 * Makes locked devices and their services inactive, as after a disconnection, because the server is about to close the
 * devices' connections. A device stays active if its reported active state has not expired.
 */
export async function releaseDevices(transaction: Database, devices: readonly DeviceKey[]): Promise<void> {
  await releaseByProcess(transaction, devices, null)
  await deactivateUnheld(transaction, devices, serverSource)
}
