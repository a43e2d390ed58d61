import type { FastifyBaseLogger } from 'fastify'
import type pg from 'pg'
import { listenForNotifications, type Notifications } from '../db/notifications.ts'

/** NOTIFY channel; the payload is the id of the access key that was created, changed or deleted. */
export const accessKeyChannel = 'muster_access_key'

export type KeyChanges = Notifications

export interface KeyChangesOptions {
  connection: pg.ClientConfig
  log: FastifyBaseLogger
  onChange: (key: string) => void
  /** Changes may have been missed. */
  onGap: () => void
}

/** Hears of changes of access keys. */
export const listenForKeyChanges = ({ onChange, ...options }: KeyChangesOptions): KeyChanges =>
  listenForNotifications({
    ...options,
    channels: [accessKeyChannel],
    subject: 'changed access keys',
    meanwhile: 'they are read anew each second meanwhile',
    onNotification: onChange,
  })
