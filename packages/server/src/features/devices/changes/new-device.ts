import type { Database } from '../../../db/database.ts'
import { initialAttributes } from '../../attributes/initial-attributes.ts'
import type { NewEvent } from '../../events/record.ts'
import type { ServiceFields } from '../../services/new-service.ts'
import type { DeviceFields } from '../device.ts'
import { assertDeviceFields, newServices, valuesOf } from './device-changes.ts'
import { insertDevices, type NewDeviceFields } from './new-devices.queries.ts'

/** A device to register without a secret. The ports of its services have no defaults. */
export interface NewDevice extends DeviceFields {
  services: ServiceFields[]
  attributes: Record<string, unknown>
}

/** Checks a new device by the rules of `registerDevice`. Returns its rows and its event. */
export function prepareDevice(device: NewDevice, id: string): { row: NewDeviceFields; event: NewEvent } {
  assertDeviceFields(device)
  const services = newServices(device.services).map((service, index) => ({
    ...service,
    port: device.services[index]!.port,
  }))
  const { attributes, reserved } = initialAttributes(device.attributes, 'attributes')
  const { name, hardwareId, platform } = device
  const data = { ...valuesOf(device), services, attributes: device.attributes }
  return {
    row: { id, name, hardwareId, platform, attributes, reserved, services },
    event: { type: 'DEVICE_REGISTER', deviceId: id, targets: [{ id, name, kind: 'device' }], data },
  }
}

/** Adds devices. Returns their time. The caller records their events with this time. */
export const addDevices = (
  db: Database,
  accountId: string,
  devices: readonly NewDeviceFields[],
): Promise<Date | undefined> => insertDevices(db, accountId, devices)
