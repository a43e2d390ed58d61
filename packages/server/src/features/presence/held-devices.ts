import type { ConnectionBatch } from './connection-batch.ts'
import type { DeviceKey, Seen } from './presence.queries.ts'

/** A device that is connected here, or was until a moment ago. */
export interface HeldDevice extends DeviceKey {
  address: string | undefined
  isConnected: boolean
  /** Whether it is written that this process holds it. */
  isHeld: boolean
  /** When its grace period ends, if it is not connected. */
  leavesAt: number
  /** Callers that wait for the write. */
  waiting: (() => void)[] | undefined
}

/** The devices of this process and their unwritten changes, in memory only. */
export interface HeldDevices {
  /** How many are connected. */
  readonly size: number
  connect(device: Seen): void
  disconnect(deviceId: string, leavesAt: number): void
  report(deviceId: string): void
  /** Resolves when the hold of a connected device is written; at once if it already is. */
  written(deviceId: string): Promise<void>
  /** Queues the release of devices whose grace period is over. */
  leave(now: number): void
  /** Queues all devices to be written under a new lease. Devices that disconnected under the previous lease were released with it. */
  reclaim(): void
  isPending(): boolean
  /** What is to be written next. */
  next(): HeldBatch
  /** A batch was written; another process holds the `lost` ones. */
  settle(batch: HeldBatch, lost: readonly HeldDevice[]): void
  /** Devices that are written as held here. */
  held(): HeldDevice[]
  /** Another process holds it, unless this process is about to take it back. */
  lose(deviceId: string): void
}

export interface HeldBatch {
  /** As it was queued. */
  queued: ConnectionBatch<HeldDevice>
  /** What of it is to be written. */
  toWrite: ConnectionBatch<HeldDevice>
}

const BATCH = 1_000

/** `onPending`: there may be something to write. `onLost`: another process took over a connected device. */
export function createHeldDevices(onPending: () => void, onLost: (deviceId: string) => void): HeldDevices {
  const devices = new Map<string, HeldDevice>()
  const leaving = new Set<HeldDevice>()
  // Taken from wherever it was, kept unless another process has it now, released, reported.
  const queues = {
    take: new Set<HeldDevice>(),
    keep: new Set<HeldDevice>(),
    release: new Set<HeldDevice>(),
    touch: new Set<HeldDevice>(),
  }

  const forget = (device: HeldDevice): void => {
    if (devices.get(device.deviceId) === device) devices.delete(device.deviceId)
    leaving.delete(device)
    for (const queue of Object.values(queues)) queue.delete(device)
  }

  const tellWaiting = (device: HeldDevice): void => {
    for (const done of device.waiting ?? []) done()
    device.waiting = undefined
  }

  const drop = (device: HeldDevice): void => {
    forget(device)
    tellWaiting(device)
    if (device.isConnected) onLost(device.deviceId)
  }

  return {
    get size() {
      return devices.size - leaving.size
    },
    connect({ accountId, deviceId, address }) {
      const known = devices.get(deviceId)
      const device = known?.accountId === accountId ? known : newDevice({ accountId, deviceId })
      device.isConnected = true
      device.address = address
      leaving.delete(device)
      if (device.isHeld) return
      devices.set(deviceId, device)
      queues.keep.delete(device)
      queues.take.add(device)
      onPending()
    },
    disconnect(deviceId, leavesAt) {
      const device = devices.get(deviceId)
      if (device === undefined || !device.isConnected) return
      device.isConnected = false
      device.leavesAt = leavesAt
      leaving.add(device)
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
        device.waiting ??= []
        device.waiting.push(resolve)
      })
    },
    leave(now) {
      for (const device of leaving) {
        // They are in the order in which they disconnected, and have the same grace period.
        if (device.leavesAt > now) break
        leaving.delete(device)
        devices.delete(device.deviceId)
        queues.keep.delete(device)
        queues.touch.delete(device)
        // A pending take is written first, because the device was connected.
        queues.release.add(device)
      }
      onPending()
    },
    reclaim() {
      for (const device of [...leaving, ...queues.release]) forget(device)
      for (const device of devices.values()) {
        device.isHeld = false
        if (!queues.take.has(device)) queues.keep.add(device)
      }
      onPending()
    },
    isPending: () => Object.values(queues).some((queue) => queue.size > 0),
    next() {
      const take = first(queues.take, BATCH)
      const queued = {
        take,
        keep: first(queues.keep, BATCH),
        touch: first(queues.touch, BATCH),
        // One that left before it was taken is released after it is, and one that came back in the meantime is not.
        release: first(queues.release, BATCH).filter((device) => !queues.take.has(device) || take.includes(device)),
      }
      return {
        queued,
        toWrite: { ...queued, release: queued.release.filter(({ deviceId }) => !devices.has(deviceId)) },
      }
    },
    settle({ queued }, lost) {
      for (const kind of ['take', 'keep', 'release', 'touch'] as const) {
        for (const device of queued[kind]) queues[kind].delete(device)
      }
      for (const device of lost) drop(device)
      for (const device of [...queued.take, ...queued.keep]) {
        if (devices.get(device.deviceId) === device) device.isHeld = true
        tellWaiting(device)
      }
    },
    held: () => [...devices.values()].filter(({ isHeld }) => isHeld),
    lose(deviceId) {
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
  leavesAt: 0,
  waiting: undefined,
})

function first<Value>(values: ReadonlySet<Value>, count: number): Value[] {
  const found: Value[] = []
  for (const value of values) {
    if (found.length >= count) break
    found.push(value)
  }
  return found
}
