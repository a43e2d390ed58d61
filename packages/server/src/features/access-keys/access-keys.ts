import { randomBytes } from 'node:crypto'
import { generateSecret, parsePublicKey } from '@muster/http-signature'
import { isPermitted } from '../../access.ts'
import { accessKeyChannel } from '../../auth/key-cache.ts'
import { lockMasterKey } from '../../auth/master-key/master-key.ts'
import type { Secrets } from '../../auth/secrets.ts'
import { assertRecentSignIn } from '../../auth/sessions/sign-in/recent-sign-in.ts'
import type { Context } from '../../context.ts'
import type { Database } from '../../db/database.ts'
import { inTransaction } from '../../db/database.ts'
import { ApiError, badInput, notFound } from '../../errors.ts'
import { assertName, assertStorable } from '../../lib/text.ts'
import { limits } from '../../limits.ts'
import type { EventTypeName } from '../events/event-types.ts'
import { actorOf, fieldChanges, recordEvents } from '../events/record.ts'
import { createOnce } from '../idempotency/create-once.ts'
import type { AccessKey, CreatedAccessKey } from './access-key.ts'
import {
  countKeys,
  disableKeysMadeBy,
  hasKey,
  hasUsableKey,
  insertAccessKey,
  lockAccessKey,
  lockAccount,
  type NewAccessKey,
  notifyAccessKey,
  removeAccessKey,
  selectAccessKey,
  selectAccessKeys,
  selectPersonalKeys,
  writeAccessKey,
} from './access-keys.queries.ts'
import { assertNotStronger } from './key-strength.ts'

type Viewing = Pick<Context, 'db' | 'viewer'>
type Owner = Pick<Context, 'viewer'>
type Creating = Viewing & Pick<Context, 'secrets' | 'clock'>

export interface AccessKeyInput {
  name?: string | null
  readOnly?: boolean
  requireDigest?: boolean
  expires?: Date | null
  /** An ed25519 public key, as SPKI PEM or as its 32 bytes in base64. An access key with a public key has no secret. */
  publicKey?: string | null
}

/** Lists the account's access keys, newest first. Without KEY_MANAGE or AUDIT_READ, only the viewer's personal keys. */
export function listAccessKeys({ db, viewer }: Viewing): Promise<AccessKey[]> {
  const { accountId, personId = accountId, permissions } = viewer
  const seesAll = isPermitted(permissions, 'KEY_MANAGE') || isPermitted(permissions, 'AUDIT_READ')
  return seesAll ? selectAccessKeys(db, accountId) : selectPersonalKeys(db, accountId, personId)
}

export const countAccessKeys = ({ db, viewer }: Viewing): Promise<number> => countKeys(db, viewer.accountId)

/** Whether the account has this access key, and the key is enabled and has not expired. */
export const isAccessKeyUsable = (db: Database, accountId: string, at: { key: string; now: Date }): Promise<boolean> =>
  hasUsableKey(db, accountId, at)

/** Whether the key exists in any account. */
export const hasAccessKey = (db: Database, key: string): Promise<boolean> => hasKey(db, key)

/** Creates a key in a transaction. */
export async function createAccessKey(
  context: Creating & Pick<Context, 'once'>,
  input: AccessKeyInput,
): Promise<CreatedAccessKey> {
  const create = (db: Database) =>
    inTransaction(db, (transaction) => addAccessKey({ ...context, db: transaction }, input))
  return createOnce(context, create, ({ key, secret }) => ({ kind: 'access key', id: key, secret }))
}

/** Creates a key. `context.db` must be a transaction. */
export async function addAccessKey(context: Creating, input: AccessKeyInput): Promise<CreatedAccessKey> {
  const { db, viewer, clock } = context
  const strength = { expires: input.expires ?? null, requireDigest: input.requireDigest ?? false }
  assertAccessKeyInput(input, clock())
  await assertNotStronger(context, strength)
  await assertRecentSignIn(context, viewer)
  await assertBelowLimit(db, viewer.accountId)
  await lockMasterKey(db, context.secrets)

  const key = generateKeyId()
  const { secret, ...material } = keyMaterial(context, key, input.publicKey ?? null)
  const accessKey = await insertAccessKey(db, viewer.accountId, {
    key,
    name: input.name ?? null,
    madeBy: actorOf(viewer),
    readOnly: input.readOnly ?? false,
    ...strength,
    ...material,
  })
  const { name, readOnly, requireDigest, algorithm, expires } = accessKey
  await recordAndNotify(context, 'ACCESS_KEY_CREATE', accessKey, { name, readOnly, requireDigest, algorithm, expires })
  return { key, secret, accessKey }
}

export interface AccessKeyChange {
  /** null clears the name. */
  name?: string | null
  enabled?: boolean | null
}

/** Changes a key. A key can disable itself. */
export async function updateAccessKey(
  { db, viewer }: Viewing,
  key: string,
  change: AccessKeyChange,
): Promise<AccessKey> {
  assertStorable(key, 'key')
  if (change.name != null) assertName(change.name, 'name', limits.accessKeyNameLength)
  return db.transaction().execute(async (transaction) => {
    const before = await lockAccessKey(transaction, viewer.accountId, key)
    if (before === undefined) throw notFound('access key', key)
    const after = {
      ...before,
      name: change.name === undefined ? before.name : change.name,
      enabled: change.enabled ?? before.enabled,
    }
    const changes = fieldChanges(before, after)
    if (changes === undefined) return before
    if (after.enabled && !before.enabled) await assertNotStronger({ db: transaction, viewer }, after)
    await writeAccessKey(transaction, viewer.accountId, after)
    await recordAndNotify({ db: transaction, viewer }, 'ACCESS_KEY_UPDATE', after, { changes })
    return after
  })
}

/** Deletes a key. A key can delete itself. */
export async function deleteAccessKey({ db, viewer }: Viewing, key: string): Promise<void> {
  assertStorable(key, 'key')
  await db.transaction().execute(async (transaction) => {
    const deleted = await removeAccessKey(transaction, viewer.accountId, key)
    if (deleted === undefined) throw notFound('access key', key)
    await recordAndNotify({ db: transaction, viewer }, 'ACCESS_KEY_DELETE', deleted, { name: deleted.name })
  })
}

/** Deletes all of the user's access keys and returns their number. */
export async function revokeAccessKeys({ db, viewer }: Viewing): Promise<number> {
  const keys = await selectAccessKeys(db, viewer.accountId)
  for (const { key } of keys) {
    const deleted = await removeAccessKey(db, viewer.accountId, key)
    if (deleted !== undefined)
      await recordAndNotify({ db, viewer }, 'ACCESS_KEY_DELETE', deleted, { name: deleted.name })
  }
  return keys.length
}

/** Deletes the personal keys of a person whose membership ends. */
export async function endPersonalKeys({ db, viewer }: Viewing, personId: string): Promise<void> {
  for (const { key } of await selectPersonalKeys(db, viewer.accountId, personId)) {
    const deleted = await removeAccessKey(db, viewer.accountId, key)
    if (deleted !== undefined)
      await recordAndNotify({ db, viewer }, 'ACCESS_KEY_DELETE', deleted, { name: deleted.name })
  }
}

/** Disables the account keys that a person created, and returns their number. */
export async function disableKeysOf({ db, viewer }: Viewing, personId: string): Promise<number> {
  const disabled = await disableKeysMadeBy(db, viewer.accountId, personId)
  for (const key of disabled) {
    const data = { changes: { enabled: { old: true, new: false } } }
    await recordAndNotify({ db, viewer }, 'ACCESS_KEY_UPDATE', key, data)
  }
  return disabled.length
}

/** Finds one of the account's access keys. */
export const findAccessKey = ({ db, viewer }: Viewing, key: string): Promise<AccessKey | undefined> =>
  selectAccessKey(db, viewer.accountId, key)

/** Makes every server process reload the user's access keys after the transaction commits. */
export async function reloadAccessKeys(db: Database, accountId: string): Promise<void> {
  for (const { key } of await selectAccessKeys(db, accountId)) await notifyAccessKey(db, accessKeyChannel, key)
}

function assertAccessKeyInput({ name, expires, publicKey }: AccessKeyInput, now: Date): void {
  if (name != null) assertName(name, 'name', limits.accessKeyNameLength)
  if (expires != null && expires <= now) {
    throw badInput(`expires must be in the future, not ${expires.toISOString()}; now is ${now.toISOString()}`)
  }
  if (publicKey != null) readPublicKey(publicKey)
}

async function assertBelowLimit(db: Database, accountId: string): Promise<void> {
  if (!(await lockAccount(db, accountId))) throw notFound('user', accountId)
  const found = await countKeys(db, accountId)
  if (found >= limits.accessKeys) {
    const message = `a user can have ${limits.accessKeys} access keys, found ${found}: delete one first`
    throw new ApiError('LIMIT_EXCEEDED', message, { limit: limits.accessKeys, found })
  }
}

type KeyMaterial = Pick<NewAccessKey, 'algorithm' | 'encryptedSecret' | 'publicKey'> & { secret: string | null }

function keyMaterial(
  { secrets, viewer }: Owner & { secrets: Secrets },
  key: string,
  publicKey: string | null,
): KeyMaterial {
  if (publicKey !== null) {
    return { secret: null, algorithm: 'ed25519', encryptedSecret: null, publicKey: readPublicKey(publicKey) }
  }
  const secret = generateSecret()
  const encryptedSecret = secrets.encrypt({ accountId: viewer.accountId, key }, Buffer.from(secret, 'base64'))
  return { secret, algorithm: 'hmac-sha256', encryptedSecret, publicKey: null }
}

/** Converts either input format to the key's 32 bytes in base64. */
function readPublicKey(text: string): string {
  const outcome = parsePublicKey(text)
  if (!outcome.ok) throw badInput(`publicKey: ${outcome.message}`)
  return outcome.base64
}

/** RFC 4648 §6: the characters are not easily confused and have no special meaning in a shell or a URL. */
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** Returns a new key ID with 90 random bits. */
const generateKeyId = (): string => `MK${Array.from(randomBytes(18), (byte) => alphabet[byte & 31]).join('')}`

/** Records a change as an event and notifies every process that its cached copy of the key is out of date. */
async function recordAndNotify(
  { db, viewer }: Viewing,
  type: EventTypeName,
  accessKey: AccessKey,
  data: Record<string, unknown>,
): Promise<void> {
  const target = { id: accessKey.key, name: accessKey.name ?? accessKey.key, kind: 'accessKey' as const }
  await recordEvents(db, { viewer }, [{ type, targets: [target], data }])
  await notifyAccessKey(db, accessKeyChannel, accessKey.key)
}
