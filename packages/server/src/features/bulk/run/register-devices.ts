import type { ResolvedFilter } from '@muster/filter'
import type { Database } from '../../../db/database.ts'
import { ApiError } from '../../../errors.ts'
import { addDevices, newDeviceRows } from '../../devices/changes/new-device.ts'
import type { NewEvent } from '../../events/record.ts'
import { registersOutside } from '../../restrictions/decisive-values.ts'
import { selectFields, selectHardwareIds } from '../bulk-items.queries.ts'
import type { NewDevice } from '../bulk-job.ts'
import { hashOfDevice, type JobSecrets } from '../secrets/job-secrets.ts'
import { DeviceError } from './device-error.ts'

export interface Registration {
  id: string
  device: NewDevice
}

/** Adds new devices, which the caller must be able to reach. Returns their events. */
export async function registerDevices(
  db: Database,
  accountId: string,
  {
    registered,
    secrets,
    inside,
  }: {
    registered: readonly Registration[]
    secrets: JobSecrets | undefined
    inside: ResolvedFilter | undefined
  },
): Promise<NewEvent[]> {
  if (registered.length === 0) return []
  const hardwareIds = registered.flatMap(({ device }) => device.hardwareId ?? [])
  const taken = hardwareIds.length === 0 ? new Map() : await selectHardwareIds(db, accountId, hardwareIds)
  const conflict = registered.find(({ device }) => device.hardwareId !== null && taken.has(device.hardwareId))
  if (conflict !== undefined) {
    const message = `hardwareId ${JSON.stringify(conflict.device.hardwareId)} is in use by another of your devices`
    throw new DeviceError(conflict.id, new ApiError('CONFLICT', message))
  }
  const prepared = registered.map(({ id, device }) => newDeviceRows(device, id))
  const timestamp = await addDevices(
    db,
    accountId,
    prepared.map(({ row }) => (secrets === undefined ? row : { ...row, secretHash: hashOfDevice(secrets, row.id) })),
  )
  if (inside !== undefined) {
    const rows = await selectFields(db, accountId, { ids: registered.map(({ id }) => id), inside })
    const reached = new Set(rows.map(({ id }) => id))
    const outside = registered.find(({ id }) => !reached.has(id))
    if (outside !== undefined) throw new DeviceError(outside.id, registersOutside())
  }
  return prepared.map(({ event }) => ({ ...event, timestamp }))
}
