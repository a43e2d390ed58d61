import type { FastifyBaseLogger } from 'fastify'
import type pg from 'pg'
import type { Database } from '../../db/database.ts'
import { listenForNotifications } from '../../db/notifications.ts'
import { deviceChannel, findOtherSecrets } from './cut-off.queries.ts'

const BATCH = 1_000
const CHECKED_EVERY_MS = 1_000

/** A device that signed on, with the hash of the secret that it showed. */
export interface SignedOn {
  deviceId: string
  secretHash: Buffer
}

export interface CutOffs {
  close(): Promise<void>
}

export interface CutOffOptions {
  db: Database
  connection: pg.ClientConfig
  log: FastifyBaseLogger
  /** Who is signed on here. */
  signedOn: () => Iterable<SignedOn>
  onCutOff: (deviceId: string) => void
}

/**
 * Tells within a second of devices that are deleted or whose secret is another, whichever process did it. While it is
 * not heard of them, the secrets of all that are signed on are looked at each second.
 */
export function watchCutOffs({ db, connection, log, signedOn, onCutOff }: CutOffOptions): CutOffs {
  let isClosed = false
  let checking: Promise<void> | undefined

  const check = (): void => {
    checking ??= checkAll()
      .catch((error: unknown) => {
        if (!isClosed) log.debug({ err: error }, 'secrets of connected devices cannot be looked at')
      })
      .finally(() => {
        checking = undefined
      })
  }

  const checkAll = async (): Promise<void> => {
    const all = Array.from(signedOn())
    for (let at = 0; at < all.length; at += BATCH) {
      for (const deviceId of await findOtherSecrets(db, all.slice(at, at + BATCH))) onCutOff(deviceId)
    }
  }

  const notifications = listenForNotifications({
    connection,
    log,
    channels: [deviceChannel],
    subject: 'devices cut off',
    meanwhile: 'they are looked for each second meanwhile',
    onNotification: onCutOff,
    onGap: check,
  })
  const timer = setInterval(() => {
    if (!notifications.isHearing()) check()
  }, CHECKED_EVERY_MS)

  return {
    async close() {
      isClosed = true
      clearInterval(timer)
      await notifications.close()
      await checking
    },
  }
}
