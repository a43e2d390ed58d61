import type { ResolvedFilter } from '@muster/filter'
import type { Database } from '../../db/database.ts'
import { initialAttributes } from '../attributes/initial-attributes.ts'
import type { DeviceFields } from '../devices/device.ts'
import type { ServiceFields } from '../services/new-service.ts'
import { selectMatches } from './match-snapshots.queries.ts'
import type { DeviceRows } from './past-device.ts'

export interface PlannedDevice extends DeviceFields {
  id: string
  services: readonly ServiceFields[]
  attributes: Record<string, unknown>
}

export async function findReachedDevices(
  db: Database,
  accountId: string,
  { inside, devices }: { inside: ResolvedFilter; devices: readonly PlannedDevice[] },
): Promise<Set<string>> {
  const now = new Date()
  const moments = devices.map((device) => ({ now, rows: JSON.stringify(rowsOf(device, now.toISOString())) }))
  const indexes = await selectMatches(db, accountId, { selection: { filter: inside, context: undefined }, moments })
  return new Set(indexes.map((index) => devices[index]!.id))
}

function rowsOf({ id, name, hardwareId, platform, services, attributes: given }: PlannedDevice, created: string) {
  const { attributes, reserved } = initialAttributes(given, 'attributes')
  const rows: DeviceRows = {
    device: { id, name, hardware_id: hardwareId, platform, created, attributes },
    live: { state: 'inactive', state_since: null, last_reported: null, ...reserved },
    overrides: [],
    services: services.map((service, index) => ({ ...service, id: `service ${index}`, created, attributes: {} })),
    serviceLives: [],
  }
  return rows
}
