import type { Database } from '../../db/database.ts'
import { serverSource } from '../events/event-source.ts'
import { devicesOfFirstAccount, distinctDevices } from './device-keys.ts'
import { deactivateUnheld, endTimedHolds, findTimedOut, lockDevices } from './presence.queries.ts'
import { endTimedServices, findTimedOutServices, lockSweep } from './service-states.queries.ts'

const BATCH = 1_000

/**
 * Processes the reports of active states that have expired. Returns a positive number if reports have expired. Returns 0
 * if none have expired, or if another process is already processing them. With `isByAccount`, each transaction writes
 * devices of only one account.
 */
export async function expireReports(db: Database, isByAccount: boolean): Promise<number> {
  let ended = 0
  for (let found = BATCH; found >= (isByAccount ? 1 : BATCH); ended += found) {
    found = await db.transaction().execute(async (transaction) => {
      if (!(await lockSweep(transaction))) return 0
      const timedOut = await findTimedOut(transaction, BATCH)
      const ofServices = await findTimedOutServices(transaction, BATCH)
      const expired = distinctDevices([...timedOut, ...ofServices])
      const devices = await lockDevices(transaction, isByAccount ? devicesOfFirstAccount(expired) : expired)
      if (devices.length > 0) {
        await endTimedServices(transaction, devices)
        await endTimedHolds(transaction, devices, 'over')
        await deactivateUnheld(transaction, devices, serverSource)
      }
      return Math.max(timedOut.length, ofServices.length)
    })
  }
  return ended
}
