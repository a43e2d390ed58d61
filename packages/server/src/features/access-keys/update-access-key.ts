import type { Context } from '../../context.ts'
import type { Database } from '../../db/database.ts'
import { type ApiError, badInput, notFound } from '../../errors.ts'
import { assertName, assertStorable } from '../../lib/string-checks.ts'
import { limits } from '../../limits.ts'
import { isPermitted, maskOf, namesIn } from '../../permissions.ts'
import type { MutationUpdateAccessKeyArgs } from '../../resolvers.generated.ts'
import { type RestrictionPart, restrictionOf } from '../../restriction.ts'
import type { Viewer } from '../../viewer.ts'
import { recordEvents } from '../events/record.ts'
import { assertRestrictable, narrowed } from '../restrictions/own-restriction.ts'
import { lockAccount } from '../users/users.ts'
import type { AccessKey } from './access-key.ts'
import {
  isRestricted,
  moveToRestricted,
  removeAccessKey,
  selectAccessKey,
  writeAccessKey,
} from './access-keys.queries.ts'
import { assertFuture, readRateShare } from './create-access-key.ts'
import { changesOf, deletionOf, eventOf, notifyChanges } from './key-events.ts'
import { assertComplies } from './key-policy.ts'
import { areWithin, readNetworks } from './networks.ts'
import { assertNotStronger } from './no-stronger-key.ts'

export interface AccessKeyChange extends Omit<MutationUpdateAccessKeyArgs, 'key'> {
  /** A filter that devices must match in addition to the key's filter, and the attribute names that the key keeps. */
  own?: RestrictionPart
}

type Changing = Pick<Context, 'db' | 'viewer'> & Partial<Pick<Context, 'clock'>>

/**
 * `access` and `expires` can only limit the key further. `networks` and `rateShare` can also allow more (see
 * `assertNotStronger`). The caller can disable the key that signed the request.
 */
export async function updateAccessKey(
  { db, viewer, clock = () => new Date() }: Changing,
  key: string,
  change: AccessKeyChange,
): Promise<AccessKey> {
  if (change.name != null) assertName(change.name, 'name', limits.accessKeyNameLength)
  return db.transaction().execute(async (transaction) => {
    const before = await lockAccessKey(transaction, viewer, key)
    const after = applyChange(before, change, clock())
    const changes = changesOf(before, after)
    if (changes === undefined) return before
    if (after.enabled && (!before.enabled || isWidened(before, after)))
      await assertNotStronger({ db: transaction, viewer }, after)
    await assertComplies({ db: transaction, viewer }, after, before)
    if (after.isRestricted && !before.isRestricted) await moveToRestricted(transaction, viewer.accountId, key)
    await writeAccessKey(transaction, viewer.accountId, after)
    await notifyChanges(transaction, [after])
    await recordEvents(transaction, { viewer }, [eventOf('ACCESS_KEY_UPDATE', after, { changes })])
    return after
  })
}

const isWidened = (before: AccessKey, after: AccessKey): boolean =>
  !areWithin(after.networks, before.networks) || after.rateShare > before.rateShare

function applyChange(before: AccessKey, change: AccessKeyChange, now: Date): AccessKey {
  const { name, enabled, access, own = {}, expires, networks, rateShare } = change
  if (own.view !== undefined || own.context !== undefined)
    throw grantsMore('access.view and access.context cannot be changed')
  const after: AccessKey = {
    ...before,
    name: name === undefined ? before.name : name,
    enabled: enabled ?? before.enabled,
    permissions: access?.permissions == null ? before.permissions : maskOf(access.permissions),
    own: narrowed(before.own, own),
    expires: expires === undefined ? before.expires : expires,
    networks: networks === undefined ? before.networks : readNetworks(networks ?? []),
    rateShare: rateShare == null ? before.rateShare : readRateShare(rateShare),
  }
  const more = namesIn(after.permissions & ~before.permissions)
  if (more.length > 0)
    throw grantsMore(`the key does not have the ${more.length === 1 ? 'permission' : 'permissions'} ${more.join(', ')}`)
  if (restrictionOf(after) !== undefined) assertRestrictable(after.permissions)
  if (before.expires !== null && (after.expires === null || after.expires > before.expires))
    throw grantsMore(`expires must be ${before.expires.toISOString()} or earlier`)
  if (expires != null && expires.getTime() !== before.expires?.getTime()) assertFuture(expires, now)
  return { ...after, isRestricted: before.isRestricted || isRestricted(after) }
}

const grantsMore = (rule: string): ApiError =>
  badInput(`access and expires can only limit the key further: ${rule}. To allow more, create another key`)

/** The caller can delete the key that signed the request. */
export async function deleteAccessKey({ db, viewer }: Changing, key: string): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    const deleted = await lockAccessKey(transaction, viewer, key)
    await removeAccessKey(transaction, viewer.accountId, deleted)
    await notifyChanges(transaction, [deleted])
    await recordEvents(transaction, { viewer }, [deletionOf(deleted)])
  })
}

/**
 * Throws NOT_FOUND if the key does not exist or the viewer may not change it. Without KEY_MANAGE, viewers may change
 * only their own personal keys.
 */
export async function lockAccessKey(transaction: Database, viewer: Viewer, key: string): Promise<AccessKey> {
  assertStorable(key, 'key')
  const { accountId, permissions } = viewer
  await lockAccount(transaction, accountId)
  const found = await selectAccessKey(transaction, accountId, key)
  if (found === undefined) throw notFound('access key', key)
  if (permissions === undefined || isPermitted(permissions, 'KEY_MANAGE')) return found
  const isOwn = found.kind === 'personal' && found.madeBy === (await findOwnerOfPersonalKeys(transaction, viewer))
  if (!isOwn) throw notFound('access key', key)
  return found
}

/**
 * Returns the ID of the person who is signed in or who created the signing key. With KEY_OWN, the viewer can see and
 * change the personal keys of this person. Returns undefined for a restricted account key, because the personal keys
 * may have fewer restrictions.
 */
export async function findOwnerOfPersonalKeys(db: Database, viewer: Viewer): Promise<string | undefined> {
  const { accountId, personId = accountId, accessKey, restriction } = viewer
  if (accessKey === undefined || restriction === undefined) return personId
  const signing = await selectAccessKey(db, accountId, accessKey)
  return signing?.kind === 'personal' ? personId : undefined
}
