import type { ConnectionBatch } from './connection-batch.ts'
import type { DeviceKey, Seen } from './presence.queries.ts'

/** A device that is connected here, or was until a moment ago. */
export interface HeldDevice extends DeviceKey {
  address: string | undefined
  isConnected: boolean
  /** Whether it is written that this process holds it. */
  isHeld: boolean
  /** When its hold time is over, once it is not connected. */
  leavesAt: number
  /** Those that wait for it to be written. */
  waiting: (() => void)[] | undefined
}

/** The devices of this process and what is still to be written of them: memory alone. */
export interface HeldDevices {
  /** How many are connected. */
  readonly size: number
  connect(device: Seen): void
  disconnect(deviceId: string, leavesAt: number): void
  report(deviceId: string): void
  /** Resolves when it is written that a connected device is held; at once where nothing is to be written. */
  written(deviceId: string): Promise<void>
  /** Those whose hold time is over are to be released. */
  leave(now: number): void
  /** All are to be written again, under another lease: what was left under the one before ended with it. */
  reclaim(): void
  isPending(): boolean
  /** What is to be written next. */
  next(): HeldBatch
  /** A batch is written; `lost` of it are with another process. */
  settle(batch: HeldBatch, lost: readonly HeldDevice[]): void
  /** Those of which it is written that they are held here. */
  held(): HeldDevice[]
  /** Another process has it, unless it is to be taken back. */
  lose(deviceId: string): void
}

export interface HeldBatch {
  /** As it was queued. */
  queued: ConnectionBatch<HeldDevice>
  /** What of it is to be written. */
  toWrite: ConnectionBatch<HeldDevice>
}

const BATCH = 1_000

/** `onPending`: there may be something to write. `onLost`: a connected device is another process's now. */
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
        // They stand in the order in which they left, and all stay for the same time.
        if (device.leavesAt > now) break
        leaving.delete(device)
        devices.delete(device.deviceId)
        queues.keep.delete(device)
        queues.touch.delete(device)
        // One that is still to be taken is taken first: it was there.
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
