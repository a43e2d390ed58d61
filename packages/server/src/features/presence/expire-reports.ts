import type { Database } from '../../db/database.ts'
import { serverSource } from '../events/event-source.ts'
import { type DeviceKey, distinctDevices } from './device-keys.ts'
import { deleteLease, findExpiredLeases, lockExpiredLease } from './leases.queries.ts'
import {
  deactivateUnheld,
  endTimedHolds,
  findHeldBy,
  findTimedOut,
  lockDevices,
  releaseByProcess,
} from './presence.queries.ts'
import { endTimedServices, findTimedOutServices, lockSweep } from './service-states.queries.ts'

const BATCH = 1_000

/**
 * Ends the active states whose reports have expired. Returns a positive number if reports have expired. Returns 0 if
 * none have expired, or if another process is already processing them. With `isByAccount`, each transaction writes
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
      const devices = await lockDevices(transaction, isByAccount ? ofFirstAccount(expired) : expired)
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

const ofFirstAccount = (devices: readonly DeviceKey[]): DeviceKey[] =>
  devices.filter(({ accountId }) => accountId === devices[0]!.accountId)

/** Ends expired leases and the holds under them. Returns a positive number if any holds were ended, and 0 otherwise. */
export async function endExpiredLeases(db: Database, isByAccount: boolean): Promise<number> {
  let ended = 0
  for (const { id } of await findExpiredLeases(db)) {
    for (let found = BATCH; found > 0; ended += found) {
      found = await db.transaction().execute((transaction) => releaseBatchOf(transaction, id, isByAccount))
    }
  }
  return ended
}

async function releaseBatchOf(transaction: Database, processId: string, isByAccount: boolean): Promise<number> {
  if (!(await lockExpiredLease(transaction, processId))) return 0
  const devices = await findHeldBy(transaction, processId, BATCH)
  if (devices.length === 0) {
    await deleteLease(transaction, processId)
    return 0
  }
  const locked = await lockDevices(transaction, isByAccount ? ofFirstAccount(devices) : devices)
  await releaseByProcess(transaction, locked, processId)
  await deactivateUnheld(transaction, locked, serverSource)
  return devices.length
}
