import type { Step } from '../src/db/migration.ts'

/** The SQL expression for the hardware ID that a job gives to a device. */
const newHardwareId = `(coalesce(changes -> 'update' -> 'hardwareId' ->> 'new', changes -> 'register' ->> 'hardwareId'))`

/**
 * Replaces two indexes of the devices of bulk jobs with indexes that omit changed devices. No statement looks up
 * changed devices in these indexes, and index entries for these devices would slow down each change.
 */
export const steps: readonly Step[] = [
  {
    index: 'bulk_item_planned_hardware_id',
    on: 'bulk_item',
    as: `(account_id, job_id, ${newHardwareId}) where ${newHardwareId} is not null and status = 'PENDING'`,
  },
  {
    index: 'bulk_item_unfinished',
    on: 'bulk_item',
    as: `(account_id, job_id, status, device_id) where status <> 'DONE'`,
  },
  { dropIndex: 'bulk_item_new_hardware_id' },
  { dropIndex: 'bulk_item_status' },
]
