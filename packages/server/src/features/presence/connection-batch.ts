import type { Database } from '../../db/database.ts'
import { deviceSource } from '../events/event-source.ts'
import { notifyTakenOver } from './leases.queries.ts'
import {
  activate,
  deactivateUnheld,
  findHolders,
  holdByProcess,
  lockDevices,
  releaseByProcess,
  type Seen,
  touch,
} from './presence.queries.ts'

/** Changes of connections to write. A device is in each list at most once. */
export interface ConnectionBatch<Device extends Seen> {
  /** Connected here: held by this process, even if another held them before. */
  take: readonly Device[]
  /** Held under an earlier lease: kept, unless another process holds them now. */
  keep: readonly Device[]
  /** Reported something. */
  touch: readonly Device[]
  /** No longer held here. */
  release: readonly Device[]
}

/** Writes a batch, and returns the kept devices that another process holds. Deleted devices are skipped. */
export async function writeConnections<Device extends Seen>(
  transaction: Database,
  processId: string,
  batch: ConnectionBatch<Device>,
): Promise<Device[]> {
  const all = [...batch.take, ...batch.keep, ...batch.touch, ...batch.release]
  const locked = await lockDevices(transaction, [...new Map(all.map((device) => [device.deviceId, device])).values()])
  const states = new Map(locked.map(({ deviceId, state }) => [deviceId, state]))
  const isThere = ({ deviceId }: Device): boolean => states.has(deviceId)
  const others = await otherHolders(transaction, locked, processId)

  const take = batch.take.filter(isThere)
  const keep = batch.keep.filter((device) => isThere(device) && !others.has(device.deviceId))
  await hold(transaction, processId, [...take, ...keep])
  // A device that is only kept has not reported anything.
  const active = [...take, ...keep.filter(({ deviceId }) => states.get(deviceId) !== 'active')]
  if (active.length > 0) await activate(transaction, active, deviceSource)
  const touched = batch.touch.filter((device) => isThere(device) && !take.includes(device))
  if (touched.length > 0) await touch(transaction, touched)
  await release(transaction, processId, batch.release.filter(isThere))

  const robbed = new Set(take.flatMap(({ deviceId }) => others.get(deviceId) ?? []))
  if (robbed.size > 0) await notifyTakenOver(transaction, [...robbed])
  return batch.keep.filter(({ deviceId }) => others.has(deviceId))
}

async function otherHolders(
  transaction: Database,
  devices: readonly Seen[],
  processId: string,
): Promise<ReadonlyMap<string, string>> {
  const holders = await findHolders(transaction, devices)
  return new Map(
    holders.filter((holder) => holder.processId !== processId).map((holder) => [holder.deviceId, holder.processId]),
  )
}

async function hold(transaction: Database, processId: string, devices: readonly Seen[]): Promise<void> {
  if (devices.length > 0) await holdByProcess(transaction, devices, processId)
}

async function release(transaction: Database, processId: string, devices: readonly Seen[]): Promise<void> {
  if (devices.length === 0) return
  await releaseByProcess(transaction, devices, processId)
  await deactivateUnheld(transaction, devices, deviceSource)
}
