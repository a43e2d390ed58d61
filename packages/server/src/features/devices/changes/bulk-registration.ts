import type { Database } from '../../../db/database.ts'
import { type Attributes, splitReserved } from '../../attributes/attributes.ts'
import { initialAttributes } from '../../attributes/initial-attributes.ts'
import type { NewEvent } from '../../events/record.ts'
import { fieldsOfService } from '../../services/services-of-many-devices.ts'
import { changeDeviceCount } from '../device-count.queries.ts'
import { newId } from '../device-id.ts'
import type { NewDevice, NewDeviceFields } from './bulk-registration.queries.ts'
import { assertDeviceFields, newServices, valuesOf } from './device-changes.ts'

export function assertNewDevice(device: NewDevice): void {
  assertDeviceFields(device)
  newServices(device.services)
  initialAttributes(device.attributes, 'attributes')
}

export function newDeviceRows(device: NewDevice, id: string): { row: NewDeviceFields; event: NewEvent } {
  const { name, hardwareId, platform } = device
  const services = device.services.map((service) => ({ id: newId(), ...fieldsOfService(service) }))
  const { attributes, reserved } = splitReserved(device.attributes as Attributes)
  const data = { ...valuesOf(device), services, attributes: device.attributes }
  return {
    row: { id, name, hardwareId, platform, attributes, reserved, services },
    event: { type: 'DEVICE_REGISTER', deviceId: id, targets: [{ id, name, kind: 'device' }], data },
  }
}

/** Adds `count` to the account's number of devices. The same transaction must insert the new devices afterward. */
export async function countNewDevices(db: Database, accountId: string, count: number): Promise<void> {
  if (count > 0) await changeDeviceCount(db, accountId, count)
}
