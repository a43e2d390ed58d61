import { namesIn } from '../../access.ts'
import { accessKeyChannel } from '../../auth/key-cache.ts'
import type { Context } from '../../context.ts'
import type { Database } from '../../db/database.ts'
import type { EventTypeName } from '../events/event-types.ts'
import { recordEvents } from '../events/record.ts'
import type { AccessKey } from './access-key.ts'
import { notifyAccessKey, notifyAccessKeys } from './access-keys.queries.ts'

/** Records a change as an event and notifies every process that its cached copy of the key is out of date. */
export async function announce(
  { db, viewer }: Pick<Context, 'db' | 'viewer'>,
  type: EventTypeName,
  { key, name }: Pick<AccessKey, 'key' | 'name'>,
  data: Record<string, unknown>,
): Promise<void> {
  const target = { id: key, name: name ?? key, kind: 'accessKey' as const }
  await recordEvents(db, { viewer }, [{ type, targets: [target], data }])
  await notifyAccessKey(db, accessKeyChannel, key)
}

/** Makes every server process reload the account's access keys after the transaction commits. */
export const reloadAccessKeys = (db: Database, accountId: string): Promise<void> =>
  notifyAccessKeys(db, accountId, accessKeyChannel)

/** The fields of a key that can change, as events contain them. */
export const fieldsOf = ({ name, enabled, expires, permissions, own, networks, rateShare }: AccessKey) => ({
  name,
  enabled,
  expires,
  permissions: namesIn(permissions),
  networks,
  rateShare,
  ...own,
})

type Changes = Record<string, { old: unknown; new: unknown }>

/** Returns the old and new values of a key's changed fields for an event, or undefined if no field changed. */
export const changesOf = (before: AccessKey, after: AccessKey): Changes | undefined =>
  differences(
    { ...fieldsOf(before), replacedBy: before.replacedBy },
    { ...fieldsOf(after), replacedBy: after.replacedBy },
  )

/** The same for any objects; compares arrays and times by their contents. */
export function differences<Fields extends object>(before: Fields, after: Fields): Changes | undefined {
  const changed = (Object.keys(after) as (keyof Fields & string)[]).filter(
    (field) => JSON.stringify(before[field]) !== JSON.stringify(after[field]),
  )
  if (changed.length === 0) return undefined
  return Object.fromEntries(changed.map((field) => [field, { old: before[field] ?? null, new: after[field] }]))
}
