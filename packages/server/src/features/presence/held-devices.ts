import { type DeviceKey, distinctDevices } from './device-keys.ts'
import type { AddressedDevice } from './presence.queries.ts'
import type { ConnectionBatch } from './write-connection-batch.ts'

/** A device that is connected to this process or is in its grace period. */
export interface HeldDevice extends DeviceKey {
  address: string | undefined
  isConnected: boolean
  /** Whether the database contains this process's hold on the device. */
  isHeld: boolean
  /** The end of a disconnected device's grace period, in `performance.now()` time. */
  graceEndsAt: number
  waiters: (() => void)[] | undefined
}

/** Tracks this process's devices and their unwritten changes, in memory only. */
export interface HeldDevices {
  readonly size: number
  connect(device: AddressedDevice): void
  disconnect(deviceId: string, graceEndsAt: number): void
  report(deviceId: string): void
  /** Resolves when the hold is written, or if this process does not track the device or drops it. */
  written(deviceId: string): Promise<void>
  /** Queues the release of devices whose grace period has ended. */
  releaseExpired(now: number): void
  /** Queues connected devices for a new lease. Drops disconnected devices, whose holds ended with the old lease. */
  reclaim(): void
  isPending(): boolean
  next(): HeldBatch
  /**
   * Removes a written batch from the queues. Drops the devices in `lost`, which another process holds, unless this
   * process is about to take them back.
   */
  confirm(batch: HeldBatch, lost: readonly HeldDevice[]): void
  /** Returns the devices on which this process's hold has been written. */
  held(): HeldDevice[]
  /** Drops a device that another process holds, unless this process is about to take the device back. */
  handleTakeOver(deviceId: string): void
}

export interface HeldBatch {
  /** The changes as they were queued. */
  queued: ConnectionBatch<HeldDevice>
  /** The queued changes that still apply. */
  toWrite: ConnectionBatch<HeldDevice>
}

const BATCH = 1_000

export interface HeldDevicesOptions {
  onPending: () => void
  /** Called when another process takes over a connected device. */
  onLost: (deviceId: string) => void
  /** Whether each batch contains changes for only one account. */
  isByAccount: boolean
}

export function createHeldDevices({ onPending, onLost, isByAccount }: HeldDevicesOptions): HeldDevices {
  const devices = new Map<string, HeldDevice>()
  const disconnected = new Set<HeldDevice>()
  // `ConnectionBatch` describes these queues.
  const queues = {
    take: new Set<HeldDevice>(),
    reclaim: new Set<HeldDevice>(),
    release: new Set<HeldDevice>(),
    touch: new Set<HeldDevice>(),
  }

  const resolveWaiters = (device: HeldDevice): void => {
    for (const done of device.waiters ?? []) done()
    device.waiters = undefined
  }

  const forget = (device: HeldDevice): void => {
    if (devices.get(device.deviceId) === device) devices.delete(device.deviceId)
    disconnected.delete(device)
    for (const queue of Object.values(queues)) queue.delete(device)
    resolveWaiters(device)
  }

  const drop = (device: HeldDevice): void => {
    forget(device)
    if (device.isConnected) onLost(device.deviceId)
  }

  const isHeldAgain = ({ accountId, deviceId }: HeldDevice): boolean => devices.get(deviceId)?.accountId === accountId

  return {
    get size() {
      return devices.size - disconnected.size
    },
    connect({ accountId, deviceId, address }) {
      const existing = devices.get(deviceId)
      const isSame = existing?.accountId === accountId
      // If the device has moved to another account, the move has ended all holds on it.
      if (existing !== undefined && !isSame) forget(existing)
      const device = isSame ? existing : newDevice({ accountId, deviceId })
      device.isConnected = true
      device.address = address
      disconnected.delete(device)
      if (device.isHeld) return
      devices.set(deviceId, device)
      queues.reclaim.delete(device)
      queues.take.add(device)
      onPending()
    },
    disconnect(deviceId, graceEndsAt) {
      const device = devices.get(deviceId)
      if (device === undefined || !device.isConnected) return
      device.isConnected = false
      device.graceEndsAt = graceEndsAt
      disconnected.add(device)
    },
    report(deviceId) {
      const device = devices.get(deviceId)
      if (device === undefined) return
      queues.touch.add(device)
      onPending()
    },
    written(deviceId) {
      const device = devices.get(deviceId)
      if (device === undefined || device.isHeld) return Promise.resolve()
      return new Promise((resolve) => {
        device.waiters ??= []
        device.waiters.push(resolve)
      })
    },
    releaseExpired(now) {
      for (const device of disconnected) {
        // The set is in order of disconnection, and all devices have the same grace period, so no later device's grace
        // period has ended either.
        if (device.graceEndsAt > now) break
        disconnected.delete(device)
        if (devices.get(device.deviceId) === device) devices.delete(device.deviceId)
        queues.reclaim.delete(device)
        queues.touch.delete(device)
        if (!queues.take.has(device)) resolveWaiters(device)
        // A device that is still in `queues.take` was connected, so its hold is written before the release.
        queues.release.add(device)
      }
      onPending()
    },
    reclaim() {
      for (const device of [...disconnected, ...queues.release]) forget(device)
      for (const device of devices.values()) {
        device.isHeld = false
        if (!queues.take.has(device)) queues.reclaim.add(device)
      }
      onPending()
    },
    isPending: () => Object.values(queues).some((queue) => queue.size > 0),
    next() {
      const accountId = isByAccount ? firstAccount(Object.values(queues)) : undefined
      const take = first(queues.take, accountId)
      const queued = {
        take,
        reclaim: first(queues.reclaim, accountId),
        touch: first(queues.touch, accountId),
        // If a device disconnected before its hold was written, its release follows that write, unless it has
        // reconnected.
        release: first(queues.release, accountId).filter((device) => !queues.take.has(device) || take.includes(device)),
      }
      const release = queued.release.filter((device) => !isHeldAgain(device))
      // If a device reconnects after its grace period, before its first hold is written, the queue contains it twice.
      return { queued, toWrite: { ...queued, take: distinctDevices(take), release: distinctDevices(release) } }
    },
    confirm({ queued }, lost) {
      for (const kind of ['take', 'reclaim', 'release', 'touch'] as const) {
        for (const device of queued[kind]) queues[kind].delete(device)
      }
      // A device that connected again during the write is still in `queues.take`. Its next batch takes it back.
      for (const device of lost) if (!queues.take.has(device)) drop(device)
      for (const device of [...queued.take, ...queued.reclaim]) {
        if (queues.take.has(device)) continue
        if (devices.get(device.deviceId) === device) device.isHeld = true
        resolveWaiters(device)
      }
    },
    held: () => [...devices.values()].filter(({ isHeld }) => isHeld),
    handleTakeOver(deviceId) {
      const device = devices.get(deviceId)
      if (device?.isHeld === true && !queues.take.has(device)) drop(device)
    },
  }
}

const newDevice = ({ accountId, deviceId }: DeviceKey): HeldDevice => ({
  accountId,
  deviceId,
  address: undefined,
  isConnected: true,
  isHeld: false,
  graceEndsAt: 0,
  waiters: undefined,
})

const firstAccount = (queues: readonly ReadonlySet<HeldDevice>[]): string | undefined =>
  queues.flatMap((queue) => first(queue, undefined, 1))[0]?.accountId

function first(devices: ReadonlySet<HeldDevice>, accountId: string | undefined, count = BATCH): HeldDevice[] {
  const found: HeldDevice[] = []
  for (const device of devices) {
    if (found.length >= count) break
    if (accountId === undefined || device.accountId === accountId) found.push(device)
  }
  return found
}
