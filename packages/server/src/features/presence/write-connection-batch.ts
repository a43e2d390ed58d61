import type { Database } from '../../db/database.ts'
import { deviceSource } from '../events/event-source.ts'
import { distinctDevices, keyText } from './device-keys.ts'
import { notifyTakenOver } from './leases.queries.ts'
import {
  type AddressedDevice,
  activate,
  deactivateUnheld,
  findHolders,
  holdByProcess,
  lockDevices,
  releaseByProcess,
  touch,
} from './presence.queries.ts'

/** The changes to write in one transaction. Each list contains a device at most once. */
export interface ConnectionBatch<Device extends AddressedDevice> {
  /** Devices that connected to this process. This process takes over their holds from any other process. */
  take: readonly Device[]
  /** Devices to hold again, unless another process holds them. Their holds ended with an earlier lease. */
  reclaim: readonly Device[]
  /** Devices that sent a report. */
  touch: readonly Device[]
  /** Devices whose grace period has ended. This process ends its holds on them. */
  release: readonly Device[]
}

/**
 * Writes a batch, and notifies the processes whose holds were taken over. Skips devices that were deleted or moved to
 * another account. Returns the devices in `reclaim` that another process holds.
 */
export async function writeConnections<Device extends AddressedDevice>(
  transaction: Database,
  processId: string,
  batch: ConnectionBatch<Device>,
): Promise<Device[]> {
  const all = [...batch.take, ...batch.reclaim, ...batch.touch, ...batch.release]
  const locked = await lockDevices(transaction, distinctDevices(all))
  const states = new Map(locked.map((device) => [keyText(device), device.state]))
  const exists = (device: Device): boolean => states.has(keyText(device))
  const others = await otherHolders(transaction, locked, processId)

  const take = batch.take.filter(exists)
  const reclaim = batch.reclaim.filter((device) => exists(device) && !others.has(keyText(device)))
  const held = [...take, ...reclaim]
  if (held.length > 0) await holdByProcess(transaction, held, processId)
  // Reclaiming a device is not a report from the device. If the device is already active, its state and report time do
  // not change.
  const active = [...take, ...reclaim.filter((device) => states.get(keyText(device)) !== 'active')]
  if (active.length > 0) await activate(transaction, active, deviceSource)
  const touched = batch.touch.filter((device) => exists(device) && !take.includes(device))
  if (touched.length > 0) await touch(transaction, touched)
  await release(transaction, processId, batch.release.filter(exists))

  const previousHolders = new Set(take.flatMap((device) => others.get(keyText(device)) ?? []))
  if (previousHolders.size > 0) await notifyTakenOver(transaction, [...previousHolders])
  return batch.reclaim.filter((device) => others.has(keyText(device)))
}

async function otherHolders(
  transaction: Database,
  devices: readonly AddressedDevice[],
  processId: string,
): Promise<ReadonlyMap<string, string>> {
  const holders = await findHolders(transaction, devices)
  return new Map(
    holders.filter((holder) => holder.processId !== processId).map((holder) => [keyText(holder), holder.processId]),
  )
}

async function release(transaction: Database, processId: string, devices: readonly AddressedDevice[]): Promise<void> {
  if (devices.length === 0) return
  await releaseByProcess(transaction, devices, processId)
  await deactivateUnheld(transaction, devices, deviceSource)
}
