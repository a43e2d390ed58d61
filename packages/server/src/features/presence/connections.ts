import { performance } from 'node:perf_hooks'
import type { FastifyBaseLogger } from 'fastify'
import type { Database } from '../../db/database.ts'
import type { Notifications } from '../../db/notifications.ts'
import { pause } from '../../lib/pause.ts'
import { createConnectionWriter } from './connection-writer.ts'
import { createHeldDevices } from './held-devices.ts'
import { createLease } from './lease.ts'
import { takeOverChannel } from './leases.queries.ts'
import { type AddressedDevice, findHolders } from './presence.queries.ts'
import { endExpiredLeases, expireReports } from './sweeps.ts'

/** The connections that this process holds. Reporting a change is cheap; changes are written in batches. */
export interface Connections {
  /** How many devices are connected to this process. */
  readonly size: number
  /** A device connected to this process. It becomes active soon, and other processes no longer hold it. */
  connected(device: AddressedDevice): void
  /** A device's connection to this process ended. The device becomes inactive after the grace period unless it reconnects. */
  disconnected(deviceId: string): void
  /** A connected device reported something. */
  reported(deviceId: string): void
  /** Resolves when the active state of a connected device is written, or immediately if it already is. */
  written(deviceId: string): Promise<void>
  /**
   * Calls back when another process takes over a device, whose connection to this process must then be closed. Returns a
   * function that unsubscribes.
   */
  onTakenOver(listener: (deviceId: string) => void): () => void
  /** Devices that are still connected become inactive after the grace period, unless they connect to another process. */
  close(): Promise<void>
}

export interface ConnectionsOptions {
  db: Database
  notifications: Pick<Notifications, 'subscribe'>
  log: FastifyBaseLogger
  holdMs: number
  /** Called after events were committed. */
  onEvents?: () => void
}

const BATCH = 1_000
const INTERVAL_MS = 1_000
/** After an outage of this process or the database, others have this long to renew their leases before any is ended. */
const GRACE_MS = 4_500
const RELEASE_INTERVAL_MS = 100

export function createConnections({ db, notifications, log, holdMs, onEvents }: ConnectionsOptions): Connections {
  const takeOverListeners = new Set<(deviceId: string) => void>()
  const closing = new AbortController()
  const devices = createHeldDevices(
    () => writer.wake(),
    (deviceId) => {
      for (const listener of takeOverListeners) listener(deviceId)
    },
  )
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
        log.warn({ err: error }, 'could not check for devices that connected to other servers')
    })
  }

  /** Runs a step every second until closed, and logs the first of consecutive failures. */
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
    const ended = performance.now() - lease.stableSince > GRACE_MS ? await endExpiredLeases(db) : 0
    if (ended + (await expireReports(db)) > 0) onEvents?.()
  }

  const subscription = notifications.subscribe({
    channel: takeOverChannel,
    onNotification: ({ payload: processId }) => {
      if (processId === lease.id) checkSoon()
    },
    onGap: checkSoon,
  })
  const releaseTimer = setInterval(() => devices.releaseExpired(performance.now()), RELEASE_INTERVAL_MS)
  const renewed = repeatedly(lease.renew, 'the lease on connections cannot be renewed')
  const swept = repeatedly(sweep, 'expired reports and leases cannot be processed')

  return {
    get size() {
      return devices.size
    },
    connected: devices.connect,
    disconnected: (deviceId) => devices.disconnect(deviceId, performance.now() + holdMs),
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
      await lease.end(holdMs / 1_000).catch(() => {})
    },
  }
}
