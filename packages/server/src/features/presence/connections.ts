import { performance } from 'node:perf_hooks'
import type { FastifyBaseLogger } from 'fastify'
import type { Database } from '../../db/database.ts'
import type { Notifications } from '../../db/notifications.ts'
import { pause } from '../../lib/pause.ts'
import { createConnectionWriter } from './connection-write-loop.ts'
import { endExpiredLeases } from './end-expired-leases.ts'
import { expireReports } from './expire-reports.ts'
import { createHeldDevices } from './held-devices.ts'
import { createLease } from './lease.ts'
import { moveTimesStart, takeOverChannel } from './leases.queries.ts'
import { type AddressedDevice, findHolders } from './presence.queries.ts'

/** Records which devices are connected to this process. The process writes changes in batches. */
export interface Connections {
  readonly size: number
  /** Makes the device active soon, and ends the hold of any other process on the device. */
  connected(device: AddressedDevice): void
  /** Makes the device inactive after the grace period, unless the device reconnects or a report keeps it active. */
  disconnected(deviceId: string): void
  reported(deviceId: string): void
  /**
   * Resolves when a connected device's active state is written. Also resolves if the device is not connected to this
   * process, or if another process takes it over.
   */
  written(deviceId: string): Promise<void>
  /**
   * Calls the listener when another process takes over a device. The listener must close the device's connection to
   * this process. Returns a function that removes the listener.
   */
  onTakenOver(listener: (deviceId: string) => void): () => void
  /**
   * Stops recording and shortens the lease to the grace period. When the lease expires, devices become inactive unless
   * they have connected to another process or a report keeps them active.
   */
  close(): Promise<void>
}

export interface ConnectionsOptions {
  db: Database
  notifications: Pick<Notifications, 'subscribe'>
  log: FastifyBaseLogger
  /** The grace period: how long, in milliseconds, a device stays active after it disconnects. */
  graceMs: number
  /** Whether each transaction writes the devices of only one account, as a cluster requires. */
  isByAccount?: boolean
  onEvents?: () => void
}

const BATCH = 1_000
const INTERVAL_MS = 1_000
/**
 * How long, in milliseconds, this process waits before it ends the expired leases of other processes. The wait begins
 * when this process starts, and again after an outage of this process or of the database.
 */
const RECOVERY_MS = 4_500
const RELEASE_INTERVAL_MS = 100

export function createConnections(options: ConnectionsOptions): Connections {
  const { db, notifications, log, graceMs, isByAccount = false, onEvents } = options
  const takeOverListeners = new Set<(deviceId: string) => void>()
  const closing = new AbortController()
  const devices = createHeldDevices({
    onPending: () => writer.wake(),
    onLost: (deviceId) => {
      for (const listener of takeOverListeners) listener(deviceId)
    },
    isByAccount,
  })
  const lease = createLease(db, log, devices.reclaim)
  const writer = createConnectionWriter({ db, log, lease, devices, closing: closing.signal, onEvents })

  const checkTakenOver = async (): Promise<void> => {
    const held = devices.held()
    for (let at = 0; at < held.length; at += BATCH) {
      const holders = await findHolders(db, held.slice(at, at + BATCH))
      for (const { deviceId, processId } of holders) if (processId !== lease.id) devices.handleTakeOver(deviceId)
    }
  }

  let checking = Promise.resolve()
  const checkSoon = (): void => {
    checking = checking.then(checkTakenOver).catch((error: unknown) => {
      if (!closing.signal.aborted)
        log.warn({ err: error }, 'cannot check for devices that have connected to other server processes')
    })
  }

  const repeatedly = async (step: () => Promise<void>, failure: string): Promise<void> => {
    let isFailing = false
    while (!closing.signal.aborted) {
      try {
        await step()
        isFailing = false
      } catch (error) {
        if (!isFailing && !closing.signal.aborted) log.warn({ err: error }, `${failure}; retrying every second`)
        isFailing = true
      }
      await pause(INTERVAL_MS, closing.signal)
    }
  }

  const sweep = async (): Promise<void> => {
    await moveTimesStart(db)
    const ended = performance.now() - lease.stableSince > RECOVERY_MS ? await endExpiredLeases(db, isByAccount) : 0
    if (ended + (await expireReports(db, isByAccount)) > 0) onEvents?.()
  }

  const subscription = notifications.subscribe({
    channel: takeOverChannel,
    onNotification: ({ payload: processId }) => {
      if (processId === lease.id) checkSoon()
    },
    onGap: checkSoon,
  })
  const releaseTimer = setInterval(() => devices.releaseExpired(performance.now()), RELEASE_INTERVAL_MS)
  const renewed = repeatedly(lease.renew, 'cannot renew the connection lease')
  const swept = repeatedly(sweep, 'cannot process expired reports and leases')

  return {
    get size() {
      return devices.size
    },
    connected: devices.connect,
    disconnected: (deviceId) => devices.disconnect(deviceId, performance.now() + graceMs),
    reported: devices.report,
    written: devices.written,
    onTakenOver(listener) {
      takeOverListeners.add(listener)
      return () => void takeOverListeners.delete(listener)
    },
    async close() {
      clearInterval(releaseTimer)
      closing.abort()
      subscription.close()
      await Promise.all([renewed, swept, writer.idle(), checking])
      await lease.end(graceMs / 1_000).catch(() => {})
    },
  }
}
