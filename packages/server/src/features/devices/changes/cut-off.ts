import type { FastifyBaseLogger } from 'fastify'
import type { Database } from '../../../db/database.ts'
import type { Notifications } from '../../../db/notifications.ts'
import { anyDevice, deviceChannel, findOtherSecrets, type ShownSecret } from './cut-off.queries.ts'

export { recheckDevices, type ShownSecret } from './cut-off.queries.ts'

const BATCH = 1_000
const CHECKED_EVERY_MS = 1_000

export interface CutOffs {
  close(): Promise<void>
}

export interface CutOffOptions<Session extends ShownSecret> {
  db: Database
  notifications: Pick<Notifications, 'subscribe'>
  log: FastifyBaseLogger
  /**
   * Devices that are connected here or authenticating. A device is added before its secret is compared with the stored one: checks
   * find a later change, and authentication finds an earlier one.
   */
  sessions: { all(): Iterable<Session>; ofDevice(deviceId: string): Iterable<Session> }
  onCutOff: (session: Session) => void
}

/**
 * Reports within a second the devices that any process deleted or gave a new secret. While notifications do not arrive, it
 * checks the secrets of all connected devices every second.
 */
export function watchCutOffs<Session extends ShownSecret>(options: CutOffOptions<Session>): CutOffs {
  const { db, notifications, log, sessions, onCutOff } = options
  let isClosed = false
  let checking: Promise<void> | undefined
  /** Devices named in notifications since the last check, and whether other notifications may have been lost. */
  const told = new Set<string>()
  let mayHaveMissed = false

  const takeDue = (): Session[] => {
    const due = mayHaveMissed ? Array.from(sessions.all()) : [...told].flatMap((id) => [...sessions.ofDevice(id)])
    mayHaveMissed = false
    told.clear()
    return due
  }

  /** A notification can arrive after the device has reconnected with its new secret, so the secret decides, not the notification. */
  const cutOffAmong = async (those: readonly Session[]): Promise<void> => {
    for (let at = 0; at < those.length; at += BATCH) {
      for (const session of await findOtherSecrets(db, those.slice(at, at + BATCH))) onCutOff(session)
    }
  }

  /** Checks that become due during a check run after it, because the running one may have read too early. */
  const checkDue = async (): Promise<void> => {
    while (!isClosed && (mayHaveMissed || told.size > 0)) await cutOffAmong(takeDue())
  }

  const check = (): void => {
    checking ??= checkDue()
      .catch((error: unknown) => {
        mayHaveMissed = true
        if (!isClosed) log.debug({ err: error }, 'the secrets of connected devices cannot be checked')
      })
      .finally(() => {
        checking = undefined
      })
  }

  const subscription = notifications.subscribe({
    channel: deviceChannel,
    onNotification({ payload: deviceId }) {
      if (deviceId === anyDevice) mayHaveMissed = true
      else told.add(deviceId)
      check()
    },
    onGap() {
      mayHaveMissed = true
      check()
    },
  })
  const timer = setInterval(() => {
    mayHaveMissed ||= !subscription.isCurrent()
    check()
  }, CHECKED_EVERY_MS)

  return {
    async close() {
      isClosed = true
      clearInterval(timer)
      subscription.close()
      await checking
    },
  }
}
