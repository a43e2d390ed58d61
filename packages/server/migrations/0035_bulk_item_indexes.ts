import type { Step } from '../src/db/migration.ts'

/** The hardware ID that a job gives to a device. */
const newHardwareId = `(coalesce(changes -> 'update' -> 'hardwareId' ->> 'new', changes -> 'register' ->> 'hardwareId'))`

/**
 * Excludes the changed devices of bulk jobs from indexes that no statement uses for them, because most devices of a job
 * are changed, and each index makes the change slower.
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
