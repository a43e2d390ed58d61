import type { ResolvedFilter } from '@muster/filter'
import type { Database } from '../../../db/database.ts'
import { ApiError } from '../../../errors.ts'
import { insertDevices } from '../../devices/changes/bulk-registration.queries.ts'
import { registersOutside } from '../../restrictions/assert-may-change.ts'
import { selectFields } from '../bulk-items.queries.ts'
import { type Place, selectNamesOfOtherDevices } from '../bulk-rows.queries.ts'
import { hashOfDevice, type JobSecrets } from '../downloads/job-secrets.ts'
import { DeviceError } from './device-error.ts'
import type { Registration } from './next-batch.ts'

/**
 * Returns the names of rows without a hardware ID that a device outside the job now has. For example, another job may
 * have registered such a device after the preview.
 */
export async function findTakenNames(
  db: Database,
  place: Place,
  { registrations, inside }: { registrations: Iterable<Registration>; inside: ResolvedFilter | undefined },
): Promise<ReadonlySet<string>> {
  const names = [...registrations].flatMap(({ rowName }) => rowName ?? [])
  return names.length === 0 ? new Set() : selectNamesOfOtherDevices(db, place, { names, inside })
}

export function assertNoneTaken(registered: readonly Registration[], takenHardwareIds: ReadonlySet<string>): void {
  const conflict = registered.find(
    ({ device: { hardwareId } }) => hardwareId !== null && takenHardwareIds.has(hardwareId),
  )
  if (conflict === undefined) return
  const message = `hardwareId ${JSON.stringify(conflict.device.hardwareId)} is in use by another of your devices`
  throw new DeviceError(conflict.id, new ApiError('CONFLICT', message))
}

interface RegisterOptions {
  registered: readonly Registration[]
  /** The time at which the devices are created, which is also the time of their events. */
  created: Date
  secrets: JobSecrets | undefined
  inside: ResolvedFilter | undefined
}

/** Throws DeviceError if the job's caller cannot reach a new device. Does not record events. */
export async function registerDevices(
  db: Database,
  accountId: string,
  { registered, created, secrets, inside }: RegisterOptions,
): Promise<void> {
  if (registered.length === 0) return
  const devices = registered.map(({ row }) =>
    secrets === undefined ? row : { ...row, secretHash: hashOfDevice(secrets, row.id) },
  )
  await insertDevices(db, accountId, { devices, created })
  if (inside === undefined) return
  const rows = await selectFields(db, accountId, { ids: registered.map(({ id }) => id), inside })
  const reached = new Set(rows.map(({ id }) => id))
  const outside = registered.find(({ id }) => !reached.has(id))
  if (outside !== undefined) throw new DeviceError(outside.id, registersOutside())
}
