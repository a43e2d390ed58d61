import { performance } from 'node:perf_hooks'
import type { FastifyBaseLogger } from 'fastify'
import type { Database } from '../../db/database.ts'
import type { Notifications } from '../../db/notifications.ts'
import { pause } from '../../lib/pause.ts'
import { createConnectionWriter } from './connection-writer.ts'
import { createHeldDevices } from './held-devices.ts'
import { createLease } from './lease.ts'
import { takeOverChannel } from './leases.queries.ts'
import { findHolders, type Seen } from './presence.queries.ts'
import { endExpiredLeases, endOverdue } from './sweeps.ts'

/** The connections that this process holds. Reporting a change is cheap; changes are written in batches. */
export interface Connections {
  /** How many devices are connected here. */
  readonly size: number
  /** A device has connected here. It soon becomes active, and other processes lose their hold of it. */
  connected(device: Seen): void
  /** Its connection here has ended. It becomes inactive after the grace period unless it reconnects. */
  disconnected(deviceId: string): void
  /** A connected device has reported something. */
  reported(deviceId: string): void
  /** Resolves when the active state of a connected device is written; at once if it already is. */
  written(deviceId: string): Promise<void>
  /** Calls back when another process took over a connection, which must then be closed here. Returns a function that unsubscribes. */
  onTakenOver(listener: (deviceId: string) => void): () => void
  /** Devices still connected become inactive after the grace period, unless they connect to another process. */
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
const EVERY_MS = 1_000
/** After an outage of this process or the database, the others get this time to renew their leases before any is ended. */
const GRACE_MS = 4_500
const LEAVE_EVERY_MS = 100

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
      for (const { deviceId, processId } of holders) if (processId !== lease.id) devices.lose(deviceId)
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
    let isAway = false
    while (!closing.signal.aborted) {
      try {
        await step()
        isAway = false
      } catch (error) {
        if (!isAway && !closing.signal.aborted) log.warn({ err: error }, `${failure}; trying again each second`)
        isAway = true
      }
      await pause(EVERY_MS, closing.signal)
    }
  }

  const sweep = async (): Promise<void> => {
    const ended = performance.now() - lease.steadySince > GRACE_MS ? await endExpiredLeases(db) : 0
    if (ended + (await endOverdue(db)) > 0) onEvents?.()
  }

  const subscription = notifications.subscribe({
    channel: takeOverChannel,
    onNotification: ({ payload: processId }) => {
      if (processId === lease.id) checkSoon()
    },
    onGap: checkSoon,
  })
  const leaveTimer = setInterval(() => devices.leave(performance.now()), LEAVE_EVERY_MS)
  const renewed = repeatedly(lease.renew, 'the lease on connections cannot be renewed')
  const swept = repeatedly(sweep, 'devices whose time is over are not looked for')

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
      clearInterval(leaveTimer)
      closing.abort()
      subscription.close()
      await Promise.all([renewed, swept, writer.settled(), checking])
      await lease.end(holdMs / 1_000).catch(() => {})
    },
  }
}
