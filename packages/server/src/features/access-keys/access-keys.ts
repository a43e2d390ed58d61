import type { Context } from '../../context.ts'
import { isPermitted } from '../../permissions.ts'
import type { NewEvent } from '../events/record.ts'
import type { AccessKey } from './access-key.ts'
import {
  countKeys,
  deletePersonalKeys,
  disableKeysCreatedBy,
  removeAccessKey,
  selectAccessKey,
  selectAccessKeys,
  selectPersonalKeys,
} from './access-keys.queries.ts'
import { deletionOf, eventOf, notifyChanges } from './key-events.ts'
import { findOwnerOfPersonalKeys } from './update-access-key.ts'

export { hasKey as hasAccessKey } from './access-keys.queries.ts'
export { type AccessKeyInput, addAccessKey, createAccessKey } from './create-access-key.ts'
export { reloadAccessKeys } from './key-events.ts'
export { rotateAccessKey } from './rotate-access-key.ts'
export { deleteAccessKey, updateAccessKey } from './update-access-key.ts'

type Viewing = Pick<Context, 'db' | 'viewer'>

/** A viewer with neither KEY_MANAGE nor AUDIT_READ gets only its own personal keys. */
export async function listAccessKeys({ db, viewer }: Viewing, only?: readonly string[]): Promise<AccessKey[]> {
  const { accountId, permissions } = viewer
  if (isPermitted(permissions, 'KEY_MANAGE') || isPermitted(permissions, 'AUDIT_READ'))
    return selectAccessKeys(db, accountId, only)
  const personId = await findOwnerOfPersonalKeys(db, viewer)
  return personId === undefined ? [] : selectPersonalKeys(db, accountId, personId, only)
}

export function countAccessKeys({ db, viewer }: Viewing): Promise<{ made: number; account: number }> {
  const { accountId, personId = accountId } = viewer
  return countKeys(db, accountId, personId)
}

/** Deletes all access keys of the account. The caller must record the returned events last in the transaction. */
export async function revokeAccessKeys({ db, viewer }: Viewing): Promise<NewEvent[]> {
  const keys = await selectAccessKeys(db, viewer.accountId)
  for (const key of keys) await removeAccessKey(db, viewer.accountId, key)
  await notifyChanges(db, keys)
  return keys.map(deletionOf)
}

/**
 * Disables the account keys that the person created. Returns an event for each key that was enabled. The caller must
 * record the events last in the transaction.
 */
export async function disableKeysOf({ db, viewer }: Viewing, personId: string): Promise<NewEvent[]> {
  const keys = await disableKeysCreatedBy(db, viewer.accountId, personId)
  await notifyChanges(db, keys)
  return keys.map((key) => eventOf('ACCESS_KEY_UPDATE', key, { changes: { enabled: { old: true, new: false } } }))
}

/** Deletes the person's personal keys. The caller must record the returned events last in the transaction. */
export async function endPersonalKeys({ db, viewer }: Viewing, personId: string): Promise<NewEvent[]> {
  const keys = await deletePersonalKeys(db, viewer.accountId, personId)
  await notifyChanges(db, keys)
  return keys.map(deletionOf)
}

export const findAccessKey = ({ db, viewer }: Viewing, key: string): Promise<AccessKey | undefined> =>
  selectAccessKey(db, viewer.accountId, key)
