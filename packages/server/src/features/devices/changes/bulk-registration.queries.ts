import { type Database, query } from '../../../db/database.ts'
import { sentTogether } from '../../../db/sent-together.ts'
import { reservedColumns } from '../../attributes/attributes.ts'
import type { ServiceFields } from '../../services/new-service.ts'
import type { DeviceFields } from '../device.ts'

/** Unlike in `registerDevice`, a service without a port does not get the default port of its type. */
export interface NewDevice extends DeviceFields {
  services: ServiceFields[]
  attributes: Record<string, unknown>
}

export interface NewDeviceFields extends DeviceFields {
  id: string
  /** The hash of the secret as hexadecimal digits. Omitted for a device without a secret. */
  secretHash?: string
  /** The attributes without the reserved values. */
  attributes: Record<string, unknown>
  /** The reserved values, keyed by their column in device_live. */
  reserved: Record<string, string>
  services: (ServiceFields & { id: string })[]
}

const reserved = [...reservedColumns.values()]

/**
 * In the same transaction, the caller must call `countNewDevices` before this function, and record the devices' events
 * after it. `created` is the creation time of the devices and of their first values. The events must have the same
 * time.
 */
export async function insertDevices(
  db: Database,
  accountId: string,
  { devices, created }: { devices: readonly NewDeviceFields[]; created: Date },
): Promise<void> {
  const services = devices.flatMap((device) => device.services.map((service) => ({ ...service, deviceId: device.id })))
  await sentTogether([
    query(
      db,
      `insert into device (account_id, id, created, name, hardware_id, platform, attributes, secret_hash)
       select $1, id, $3::timestamptz, name, "hardwareId", platform, attributes, decode("secretHash", 'hex')
       from jsonb_to_recordset($2::jsonb) as row (id text, name text, "hardwareId" text, platform text, attributes jsonb,
         "secretHash" text)`,
      [accountId, JSON.stringify(devices.map(({ reserved: _reserved, services: _services, ...row }) => row)), created],
    ),
    query(
      db,
      `insert into device_live (account_id, device_id, ${reserved.join(', ')})
       select $1, id, ${reserved.map((column) => `reserved ->> '${column}'`).join(', ')}
       from jsonb_to_recordset($2::jsonb) as row (id text, reserved jsonb)`,
      [accountId, JSON.stringify(devices.map(({ id, reserved: values }) => ({ id, reserved: values })))],
    ),
    ...(services.length === 0
      ? []
      : [
          query(
            db,
            `insert into service (account_id, device_id, id, name, application, host, port, enabled)
             select $1, "deviceId", id, name, application, host, port, enabled
             from jsonb_to_recordset($2::jsonb) as row
               ("deviceId" text, id text, name text, application integer, host text, port integer, enabled boolean)`,
            [accountId, JSON.stringify(services)],
          ),
        ]),
  ])
}
