import type { FastifyBaseLogger } from 'fastify'
import type { Database } from '../../db/database.ts'
import type { Notifications } from '../../db/notifications.ts'
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
   * Who is signed on here or about to be. One belongs to them before its secret is compared with what is stored: a change that comes
   * after that is found by a check, and one before it by the sign-on.
   */
  sessions: { all(): Iterable<Session>; ofDevice(deviceId: string): Iterable<Session> }
  onCutOff: (session: Session) => void
}

/**
 * Tells within a second of devices that are deleted or whose secret is another, whichever process did it. While it is
 * not heard of them, the secrets of all that are signed on are looked at each second.
 */
export function watchCutOffs<Session extends ShownSecret>(options: CutOffOptions<Session>): CutOffs {
  const { db, notifications, log, sessions, onCutOff } = options
  let isClosed = false
  let checking: Promise<void> | undefined
  /** Devices that were told of, and whether any other may have changed unheard, since they were looked at. */
  const told = new Set<string>()
  let mayHaveMissed = false

  const takeDue = (): Session[] => {
    const due = mayHaveMissed ? Array.from(sessions.all()) : [...told].flatMap((id) => [...sessions.ofDevice(id)])
    mayHaveMissed = false
    told.clear()
    return due
  }

  /** A notice comes late at times, when the device is back with its new secret: what it shows decides, not the notice. */
  const cutOffAmong = async (those: readonly Session[]): Promise<void> => {
    for (let at = 0; at < those.length; at += BATCH) {
      for (const session of await findOtherSecrets(db, those.slice(at, at + BATCH))) onCutOff(session)
    }
  }

  /** What becomes due while a check runs is looked at after it: that one may have read too early. */
  const checkDue = async (): Promise<void> => {
    while (!isClosed && (mayHaveMissed || told.size > 0)) await cutOffAmong(takeDue())
  }

  const check = (): void => {
    checking ??= checkDue()
      .catch((error: unknown) => {
        mayHaveMissed = true
        if (!isClosed) log.debug({ err: error }, 'secrets of connected devices cannot be looked at')
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
