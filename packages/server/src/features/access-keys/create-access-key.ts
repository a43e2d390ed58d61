import { lockMasterKey } from '../../auth/master-key/master-key.ts'
import { assertRecentSignIn } from '../../auth/sessions/sign-in/recent-sign-in.ts'
import type { Context } from '../../context.ts'
import type { Database } from '../../db/database.ts'
import { assertBelowLimit, badInput, notFound } from '../../errors.ts'
import { assertName } from '../../lib/string-checks.ts'
import { limits } from '../../limits.ts'
import { usualKeyPermissions } from '../../permissions.ts'
import type { MutationCreateAccessKeyArgs } from '../../resolvers.generated.ts'
import type { RestrictionPart } from '../../restriction.ts'
import type { Viewer } from '../../viewer.ts'
import { sourceOf } from '../events/event-source.ts'
import { type NewEvent, recordEvents } from '../events/record.ts'
import { createOnceInTransaction } from '../idempotency/record-created.ts'
import { assertViews, grantedPermissions, withinOf } from '../restrictions/own-restriction.ts'
import { lockAccount } from '../users/users.ts'
import type { AccessKey, CreatedAccessKey } from './access-key.ts'
import {
  countKeys,
  insertAccessKey,
  isMember,
  type KeyLimits,
  type NewAccessKey,
  selectAccessKey,
} from './access-keys.queries.ts'
import { eventOf, fieldsOf, notifyChanges } from './key-events.ts'
import { generateKeyId, keyMaterial, readPublicKey } from './key-material.ts'
import { assertComplies } from './key-policy.ts'
import { readNetworks } from './networks.ts'
import { assertNotStronger } from './no-stronger-key.ts'

/** `signIn` is required if the viewer has a session. */
export type Creating = Pick<Context, 'db' | 'viewer' | 'secrets' | 'clock'> & Partial<Pick<Context, 'signIn'>>

/**
 * Without `access.permissions`, the key gets `usualKeyPermissions`, except those that the viewer lacks and, if the key
 * is restricted, those that restricted keys cannot have. A key with a public key has no secret.
 */
export interface AccessKeyInput extends MutationCreateAccessKeyArgs {
  own?: RestrictionPart
}

export async function createAccessKey(
  context: Creating & Pick<Context, 'once'>,
  input: AccessKeyInput,
): Promise<CreatedAccessKey> {
  const create = (transaction: Database) => addAccessKey({ ...context, db: transaction }, input)
  return createOnceInTransaction(context, create, ({ key, secret }) => ({ kind: 'access key', id: key, secret }))
}

/** `context.db` must be a transaction. */
export async function addAccessKey(context: Creating, input: AccessKeyInput): Promise<CreatedAccessKey> {
  const { db, viewer } = context
  const granted = readInput(context, input)
  if (!(await lockAccount(db, viewer.accountId))) throw notFound('account', viewer.accountId)
  await assertNotStronger(context, granted)
  await assertRecentSignIn(context, viewer)
  await assertViews(context, granted.own)
  if (granted.kind === 'personal') await assertMember(db, viewer)
  await assertBelowLimits(context, granted)
  const { created, event } = await insertKey(context, granted, input.publicKey ?? null)
  await recordEvents(db, { viewer }, [event])
  return created
}

type Granted = KeyLimits & Pick<NewAccessKey, 'name' | 'readOnly' | 'requireDigest' | 'expires'>

function readInput({ viewer, clock }: Creating, input: AccessKeyInput): Granted {
  const { name = null, expires = null, publicKey, access, networks } = input
  if (name !== null) assertName(name, 'name', limits.accessKeyNameLength)
  if (expires !== null) assertFuture(expires, clock())
  if (publicKey != null) readPublicKey(publicKey)
  const { permissions = ALL } = viewer
  const restriction = { own: input.own ?? {}, within: withinOf(viewer) }
  return {
    name,
    readOnly: input.readOnly ?? false,
    requireDigest: input.requireDigest ?? false,
    expires,
    kind: input.personal === true ? 'personal' : 'account',
    permissions: grantedPermissions(access?.permissions, usualKeyPermissions & permissions, restriction),
    ...restriction,
    networks: readNetworks(networks ?? []),
    rateShare: readRateShare(input.rateShare ?? 100),
  }
}

/** The permissions of a viewer without `permissions`, such as the viewer of an operator's command. */
const ALL = ~0

export function assertFuture(expires: Date, now: Date): void {
  if (expires > now) return
  throw badInput(
    `expires must be in the future, not ${expires.toISOString()}; the server's time is ${now.toISOString()}`,
  )
}

export function readRateShare(share: number): number {
  if (share < 1 || share > 100) throw badInput(`rateShare must be from 1 to 100 percent, not ${share}`)
  return share
}

/** The account must be locked. The caller must record the returned event last in the transaction. */
export async function insertKey(
  context: Creating,
  granted: Granted,
  publicKey: string | null,
): Promise<{ created: CreatedAccessKey; event: NewEvent }> {
  const { db, viewer, clock } = context
  const now = clock()
  await assertComplies(context, { ...granted, created: now })
  await lockMasterKey(db, context.secrets)
  const key = generateKeyId()
  const { secret, ...material } = keyMaterial(context, key, publicKey)
  await insertAccessKey(db, viewer.accountId, {
    ...grantedFields(granted),
    key,
    created: now,
    madeBy: creatorOf(viewer),
    source: sourceOf(viewer),
    ...material,
  })
  const accessKey = (await selectAccessKey(db, viewer.accountId, key))!
  await notifyChanges(db, [accessKey])
  return { created: { key, secret, accessKey }, event: eventOf('ACCESS_KEY_CREATE', accessKey, dataOf(accessKey)) }
}

/** Copies only these fields, because the argument may be an existing key that is being rotated. */
const grantedFields = (granted: Granted): Granted => {
  const { name, readOnly, requireDigest, expires, kind, permissions, own, within, networks, rateShare } = granted
  return { name, readOnly, requireDigest, expires, kind, permissions, own, within, networks, rateShare }
}

const dataOf = (accessKey: AccessKey): Record<string, unknown> => {
  const { readOnly, requireDigest, algorithm, kind } = accessKey
  const { enabled: _enabled, ...fields } = fieldsOf(accessKey)
  return { ...fields, readOnly, requireDigest, algorithm, kind }
}

const creatorOf = ({ accountId, personId = accountId }: Viewer): string => personId

async function assertMember(db: Database, viewer: Viewer): Promise<void> {
  if (await isMember(db, viewer.accountId, creatorOf(viewer))) return
  throw badInput(
    'personal must be false: the person who created the signing access key is not an enabled member of the account',
  )
}

/** A `replaced` key no longer counts toward the limits, but the `predecessor` that it replaced counts again. */
export async function assertBelowLimits(
  { db, viewer }: Creating,
  { kind }: Pick<AccessKey, 'kind'>,
  { replaced, predecessor }: { replaced?: AccessKey; predecessor?: AccessKey | undefined } = {},
): Promise<void> {
  const { accountId } = viewer
  const creator = creatorOf(viewer)
  const found = await countKeys(db, accountId, creator)
  const count = (key: AccessKey | undefined, by: 1 | -1): void => {
    if (key !== undefined && (key.madeBy ?? accountId) === creator) found.made += by
    if (key?.kind === 'account') found.account += by
  }
  count(replaced, -1)
  count(predecessor, 1)
  assertBelowLimit('access keys that the same person created', { limit: limits.accessKeys, found: found.made })
  if (kind === 'account') assertBelowLimit('account keys', { limit: limits.accountAccessKeys, found: found.account })
}
