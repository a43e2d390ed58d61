import type { ConnectionBatch } from './connection-batch.ts'
import type { AddressedDevice, DeviceKey } from './presence.queries.ts'

/** A device that is connected to this process or is in its grace period. */
export interface HeldDevice extends DeviceKey {
  address: string | undefined
  isConnected: boolean
  /** Whether the hold of this process is written. */
  isHeld: boolean
  /** When the grace period of a disconnected device ends, by performance.now(). */
  graceEndsAt: number
  /** Callbacks of the callers that wait for the write. */
  waiters: (() => void)[] | undefined
}

/** The devices of this process and their unwritten changes. They are in memory only. */
export interface HeldDevices {
  /** How many devices are connected. */
  readonly size: number
  connect(device: AddressedDevice): void
  disconnect(deviceId: string, graceEndsAt: number): void
  report(deviceId: string): void
  /** Resolves when the hold of a connected device is written, or immediately if it already is. */
  written(deviceId: string): Promise<void>
  /** Queues the release of devices whose grace period is over. */
  releaseExpired(now: number): void
  /** Queues all devices to be written under a new lease. Disconnected devices were released with the previous lease. */
  reclaim(): void
  isPending(): boolean
  /** The next changes to write. */
  next(): HeldBatch
  /** Call after a batch was written. `lost` are its devices that another process holds. */
  confirm(batch: HeldBatch, lost: readonly HeldDevice[]): void
  /** Devices whose hold by this process is written. */
  held(): HeldDevice[]
  /** Call if another process holds the device. Drops it, unless this process is about to take it back. */
  handleTakeOver(deviceId: string): void
}

export interface HeldBatch {
  /** The changes as they were queued. */
  queued: ConnectionBatch<HeldDevice>
  /** The queued changes that still apply. */
  toWrite: ConnectionBatch<HeldDevice>
}

const BATCH = 1_000

/** `onPending` is called when there may be changes to write, `onLost` when another process took over a connected device. */
export function createHeldDevices(onPending: () => void, onLost: (deviceId: string) => void): HeldDevices {
  const devices = new Map<string, HeldDevice>()
  const disconnected = new Set<HeldDevice>()
  // As in ConnectionBatch.
  const queues = {
    take: new Set<HeldDevice>(),
    reclaim: new Set<HeldDevice>(),
    release: new Set<HeldDevice>(),
    touch: new Set<HeldDevice>(),
  }

  const forget = (device: HeldDevice): void => {
    if (devices.get(device.deviceId) === device) devices.delete(device.deviceId)
    disconnected.delete(device)
    for (const queue of Object.values(queues)) queue.delete(device)
  }

  const resolveWaiters = (device: HeldDevice): void => {
    for (const done of device.waiters ?? []) done()
    device.waiters = undefined
  }

  const drop = (device: HeldDevice): void => {
    forget(device)
    resolveWaiters(device)
    if (device.isConnected) onLost(device.deviceId)
  }

  return {
    get size() {
      return devices.size - disconnected.size
    },
    connect({ accountId, deviceId, address }) {
      const existing = devices.get(deviceId)
      const device = existing?.accountId === accountId ? existing : newDevice({ accountId, deviceId })
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
        // Devices are in the order in which they disconnected, and all have the same grace period.
        if (device.graceEndsAt > now) break
        disconnected.delete(device)
        devices.delete(device.deviceId)
        queues.reclaim.delete(device)
        queues.touch.delete(device)
        // A pending take is written first, because the device was connected.
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
      const take = first(queues.take, BATCH)
      const queued = {
        take,
        reclaim: first(queues.reclaim, BATCH),
        touch: first(queues.touch, BATCH),
        // A device that left before its hold was written is released after that, unless it reconnected in the meantime.
        release: first(queues.release, BATCH).filter((device) => !queues.take.has(device) || take.includes(device)),
      }
      return {
        queued,
        toWrite: { ...queued, release: queued.release.filter(({ deviceId }) => !devices.has(deviceId)) },
      }
    },
    confirm({ queued }, lost) {
      for (const kind of ['take', 'reclaim', 'release', 'touch'] as const) {
        for (const device of queued[kind]) queues[kind].delete(device)
      }
      for (const device of lost) drop(device)
      for (const device of [...queued.take, ...queued.reclaim]) {
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

function first<Value>(values: ReadonlySet<Value>, count: number): Value[] {
  const found: Value[] = []
  for (const value of values) {
    if (found.length >= count) break
    found.push(value)
  }
  return found
}
