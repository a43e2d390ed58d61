import type { Database } from '../../db/database.ts'
import { serverSource } from '../events/event-source.ts'
import { devicesOfFirstAccount } from './device-keys.ts'
import { deleteLease, findExpiredLeases, lockExpiredLease } from './leases.queries.ts'
import { deactivateUnheld, findHeldBy, lockDevices, releaseByProcess } from './presence.queries.ts'

const BATCH = 1_000

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
  const locked = await lockDevices(transaction, isByAccount ? devicesOfFirstAccount(devices) : devices)
  await releaseByProcess(transaction, locked, processId)
  await deactivateUnheld(transaction, locked, serverSource)
  return devices.length
}
