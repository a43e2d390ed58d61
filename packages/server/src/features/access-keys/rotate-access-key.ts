import { assertRecentSignIn } from '../../auth/sessions/sign-in/recent-sign-in.ts'
import type { Context } from '../../context.ts'
import type { Database } from '../../db/database.ts'
import { ApiError, badInput } from '../../errors.ts'
import type { Viewer } from '../../viewer.ts'
import { type NewEvent, recordEvents } from '../events/record.ts'
import { createOnceInTransaction } from '../idempotency/record-created.ts'
import { withinOf } from '../restrictions/own-restriction.ts'
import { type AccessKey, type CreatedAccessKey, isExpired } from './access-key.ts'
import { removeAccessKey, selectPredecessor, writeAccessKey } from './access-keys.queries.ts'
import { assertBelowLimits, type Creating, insertKey } from './create-access-key.ts'
import { changesOf, deletionOf, eventOf, notifyChanges } from './key-events.ts'
import { readPublicKey } from './key-material.ts'
import { assertNotStronger, includesAll } from './no-stronger-key.ts'
import { lockAccessKey } from './update-access-key.ts'

const MAX_OVERLAP_SECONDS = 2_592_000

export interface Rotation {
  key: string
  /** The number of seconds after which the old key expires, if it does not expire earlier. */
  overlap: number
  publicKey: string | null
}

export async function rotateAccessKey(
  context: Creating & Pick<Context, 'once'>,
  { key, overlap, publicKey }: Rotation,
): Promise<CreatedAccessKey> {
  if (overlap < 0 || overlap > MAX_OVERLAP_SECONDS)
    throw badInput(`overlap must be from 0 to ${MAX_OVERLAP_SECONDS} seconds, not ${overlap}`)
  if (publicKey !== null) readPublicKey(publicKey)
  const { viewer, clock } = context
  const rotate = async (transaction: Database): Promise<CreatedAccessKey> => {
    const before = await lockAccessKey(transaction, viewer, key)
    if (before.replacedBy !== null)
      throw new ApiError(
        'CONFLICT',
        `this key was already rotated: rotate its replacement ${before.replacedBy} or, if that key was deleted, create another key`,
      )
    if (isExpired(before, clock()))
      throw new ApiError('CONFLICT', 'this key has expired and cannot be rotated: create another key')
    assertOwnIfPersonal(viewer, before)
    return replace({ ...context, db: transaction }, before, { overlap, publicKey })
  }
  return createOnceInTransaction(context, rotate, ({ key: id, secret }) => ({ kind: 'access key', id, secret }))
}

async function replace(
  context: Creating,
  before: AccessKey,
  { overlap, publicKey }: Pick<Rotation, 'overlap' | 'publicKey'>,
): Promise<CreatedAccessKey> {
  const { db, viewer, clock } = context
  await assertNotStronger(context, before)
  await assertRecentSignIn(context, viewer)
  const { deletions, predecessor } = await dropExpiredPredecessor(context, before)
  await assertBelowLimits(context, before, { replaced: before, predecessor })
  // A signing key can rotate only keys that have its restriction, but a session's role may have become restricted.
  const added = viewer.accessKey === undefined ? withinOf(viewer) : []
  const within = includesAll(before.within, added) ? before.within : [...before.within, ...added]
  const { created, event } = await insertKey(context, { ...before, within }, publicKey)
  const end = new Date(clock().getTime() + overlap * 1_000)
  const after: AccessKey = {
    ...before,
    expires: before.expires !== null && before.expires < end ? before.expires : end,
    replacedBy: created.key,
  }
  await writeAccessKey(db, viewer.accountId, after)
  await notifyChanges(db, [after])
  const update = eventOf('ACCESS_KEY_UPDATE', after, { changes: changesOf(before, after) })
  await recordEvents(db, { viewer }, [...deletions, event, update])
  return created
}

/**
 * Finds the predecessor, which is the key that the given key replaced. If the predecessor has expired, deletes it and
 * returns the event of the deletion. Otherwise, returns the predecessor.
 */
async function dropExpiredPredecessor(
  context: Creating,
  { key }: AccessKey,
): Promise<{ deletions: NewEvent[]; predecessor?: AccessKey }> {
  const { db, viewer, clock } = context
  const predecessor = await selectPredecessor(db, viewer.accountId, key)
  if (predecessor === undefined) return { deletions: [] }
  if (!isExpired(predecessor, clock())) return { deletions: [], predecessor }
  await removeAccessKey(db, viewer.accountId, predecessor)
  await notifyChanges(db, [predecessor])
  return { deletions: [deletionOf(predecessor)] }
}

/** A personal key acts for its creator, so only the creator may receive the new secret. */
function assertOwnIfPersonal({ accountId, personId = accountId }: Viewer, { kind, madeBy }: AccessKey): void {
  if (kind === 'account' || madeBy === personId) return
  throw new ApiError('FORBIDDEN', 'only the person who created a personal key can rotate it', {
    reason: 'exceeds-own-access',
  })
}
