import type { Database } from '../../db/database.ts'
import { defineChore } from '../../jobs/job.ts'
import { selectAccountsToSum, sumDeviceCount } from './device-count.queries.ts'

export const sumDeviceCountsJob = defineChore('devices.sum-counts')

export async function sumDeviceCounts(db: Database): Promise<void> {
  for (const accountId of await selectAccountsToSum(db)) await sumDeviceCount(db, accountId)
}
