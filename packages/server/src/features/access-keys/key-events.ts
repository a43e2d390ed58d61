import { accessKeyChannel } from '../../auth/key-cache.ts'
import type { Database } from '../../db/database.ts'
import { namesIn } from '../../permissions.ts'
import type { EventTypeName } from '../events/event-types.ts'
import { fieldChanges, type NewEvent } from '../events/record.ts'
import type { AccessKey } from './access-key.ts'
import { type NamedKey, notifyAccessKey, notifyAccessKeys } from './access-keys.queries.ts'

export const eventOf = (type: EventTypeName, { key, name }: NamedKey, data: Record<string, unknown>): NewEvent => ({
  type,
  targets: [{ id: key, name: name ?? key, kind: 'accessKey' }],
  data,
})

export const deletionOf = (key: NamedKey): NewEvent => eventOf('ACCESS_KEY_DELETE', key, { name: key.name })

export async function notifyChanges(db: Database, keys: readonly NamedKey[]): Promise<void> {
  for (const { key } of keys) await notifyAccessKey(db, accessKeyChannel, key)
}

/** Makes every server process reload the account's access keys after the transaction commits. */
export const reloadAccessKeys = (db: Database, accountId: string): Promise<void> =>
  notifyAccessKeys(db, accountId, accessKeyChannel)

export const fieldsOf = ({ name, enabled, expires, permissions, own, networks, rateShare }: AccessKey) => ({
  name,
  enabled,
  expires,
  permissions: namesIn(permissions),
  networks,
  rateShare,
  ...own,
})

export const changesOf = (before: AccessKey, after: AccessKey): ReturnType<typeof fieldChanges> =>
  fieldChanges(
    { ...fieldsOf(before), replacedBy: before.replacedBy },
    { ...fieldsOf(after), replacedBy: after.replacedBy },
  )
