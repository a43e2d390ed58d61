import type { FastifyBaseLogger } from 'fastify'
import type { Database } from '../../../db/database.ts'
import type { Notifications } from '../../../db/notifications.ts'
import { findInvalidSecrets, type PresentedSecret } from './recheck-connected-devices.queries.ts'
import { anyDevice, deviceChannel } from './send-recheck-notifications.queries.ts'

export type { PresentedSecret } from './recheck-connected-devices.queries.ts'
export { recheckDevices } from './send-recheck-notifications.queries.ts'

const BATCH = 1_000
const CHECK_INTERVAL_MS = 1_000

export interface CutOffs {
  close(): Promise<void>
}

export interface CutOffOptions<Session extends PresentedSecret> {
  db: Database
  notifications: Pick<Notifications, 'subscribe'>
  log: FastifyBaseLogger
  /**
   * The sessions of connected and authenticating devices. Add a session before comparing the device's secret with the
   * stored secret. Otherwise, a change between the comparison and the addition would remain undetected.
   */
  sessions: { all(): Iterable<Session>; ofDevice(deviceId: string): Iterable<Session> }
  onCutOff: (session: Session) => void
}

/**
 * Calls `onCutOff` when any process deletes or moves a connected device, replaces or revokes its secret, or disables
 * its account. While notifications may be lost, checks the secrets of all connected devices every second.
 */
export function watchCutOffs<Session extends PresentedSecret>(options: CutOffOptions<Session>): CutOffs {
  const { db, notifications, log, sessions, onCutOff } = options
  let isClosed = false
  let checking: Promise<void> | undefined
  /** The IDs of the devices to check, including devices that were authenticating during an earlier check. */
  const notified = new Set<string>()
  /** The IDs of devices that were authenticating during a check, which therefore could not compare their accounts. */
  const authenticating = new Set<string>()
  let mayHaveMissed = false

  const nextSessions = (): Session[] => {
    const due = mayHaveMissed ? Array.from(sessions.all()) : [...notified].flatMap((id) => [...sessions.ofDevice(id)])
    mayHaveMissed = false
    notified.clear()
    return due
  }

  /**
   * Compares each session's secret with the stored secret, because a notification can arrive after the device has
   * reconnected with its new secret.
   */
  const checkSessions = async (checked: readonly Session[]): Promise<void> => {
    for (let at = 0; at < checked.length; at += BATCH) {
      const batch = checked.slice(at, at + BATCH)
      for (const { device, deviceId } of batch) if (device === undefined) authenticating.add(deviceId)
      for (const session of await findInvalidSecrets(db, batch)) onCutOff(session)
    }
  }

  /** Checks again if notifications arrived during a check, because that check may have read an older state. */
  const checkDue = async (): Promise<void> => {
    while (!isClosed && (mayHaveMissed || notified.size > 0)) await checkSessions(nextSessions())
  }

  const check = (): void => {
    checking ??= checkDue()
      .catch((error: unknown) => {
        mayHaveMissed = true
        if (!isClosed) log.debug({ err: error }, 'cannot check the secrets of connected devices; retrying')
      })
      .finally(() => {
        checking = undefined
      })
  }

  const subscription = notifications.subscribe({
    channel: deviceChannel,
    onNotification({ payload: deviceId }) {
      if (deviceId === anyDevice) mayHaveMissed = true
      else notified.add(deviceId)
      check()
    },
    onGap() {
      mayHaveMissed = true
      check()
    },
  })
  const timer = setInterval(() => {
    mayHaveMissed ||= !subscription.isCurrent()
    for (const deviceId of authenticating) notified.add(deviceId)
    authenticating.clear()
    check()
  }, CHECK_INTERVAL_MS)

  return {
    async close() {
      isClosed = true
      clearInterval(timer)
      subscription.close()
      await checking
    },
  }
}
