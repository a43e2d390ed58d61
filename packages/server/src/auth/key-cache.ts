import { performance } from 'node:perf_hooks'
import { parsePublicKey, type VerificationKey } from '@muster/http-signature'
import type { FastifyBaseLogger } from 'fastify'
import type { Database } from '../db/database.ts'
import type { Notifications } from '../db/notifications.ts'
import { batched } from '../lib/batched.ts'
import { boundedMap } from '../lib/bounded-map.ts'
import { type KeyRow, selectKeys } from './auth.queries.ts'
import { type KeyGrant, toKeyGrant } from './key-grant.ts'
import type { Secrets } from './secrets.ts'

/** The payload of a notification is the ID of the access key that was created, changed, or deleted. */
export const accessKeyChannel = 'muster_access_key'

export interface KnownKey extends KeyGrant {
  readonly key: string
  readonly name: string | null
  readonly email: string
  readonly founderEmail: string
  /** The person who created the key. For keys without a recorded creator, the person with the account's ID. */
  readonly personId: string
  readonly requireDigest: boolean
  readonly isRestricted: boolean
  readonly verification: VerificationKey
}

export interface KeyCache {
  /** Returns synchronously if the cached key is recent enough, so most requests do not wait. */
  find(key: string): KnownKey | undefined | Promise<KnownKey | undefined>
  close(): void
}

export interface KeyCacheOptions {
  db: Database
  notifications: Pick<Notifications, 'subscribe'>
  secrets: Secrets
  log: FastifyBaseLogger
}

const KNOWN_KEYS = 20_000
/** Unknown keys are cached separately, so they never evict known keys. */
const UNKNOWN_KEYS = 10_000

/**
 * How long a cached key is used while the process can receive notifications, in milliseconds. The time is limited in
 * case a notification is lost.
 */
const CURRENT_MS = 30_000
/** How long a cached key is used while the process cannot receive notifications, in milliseconds. */
const NOT_CURRENT_MS = 900

interface CachedKey {
  readonly known: KnownKey | undefined
  readonly readAt: number
}

/** In every server process, `find` normally reflects a change to an access key within a second of the commit. */
export function createKeyCache({ db, notifications, secrets, log }: KeyCacheOptions): KeyCache {
  const known = boundedMap<string, CachedKey>(KNOWN_KEYS)
  const unknown = boundedMap<string, CachedKey>(UNKNOWN_KEYS)
  let changes = 0

  const read = batched(async (keys) => {
    const rows = await selectKeys(db, keys)
    return new Map(rows.flatMap((row) => toKnownKey(row, secrets, log) ?? []).map((each) => [each.key, each]))
  })

  const subscription = notifications.subscribe({
    channel: accessKeyChannel,
    onNotification({ payload: key }) {
      changes++
      known.delete(key)
      unknown.delete(key)
    },
    onGap() {
      changes++
      known.clear()
      unknown.clear()
    },
  })

  const readAndCache = async (key: string, readAt: number): Promise<KnownKey | undefined> => {
    const changesBefore = changes
    const found = await read(key)
    // If a change notification arrived during the read, the row may be outdated and must not be cached.
    if (changes === changesBefore) {
      known.delete(key)
      ;(found === undefined ? unknown : known).set(key, { known: found, readAt })
    }
    return found
  }

  return {
    find(key) {
      const now = performance.now()
      const cached = known.get(key) ?? unknown.get(key)
      const isFresh =
        cached !== undefined && now - cached.readAt < (subscription.isCurrent() ? CURRENT_MS : NOT_CURRENT_MS)
      return isFresh ? cached.known : readAndCache(key, now)
    },
    close: subscription.close,
  }
}

function toKnownKey(row: KeyRow, secrets: Secrets, log: FastifyBaseLogger): KnownKey | undefined {
  try {
    return {
      ...toKeyGrant(row),
      key: row.key,
      name: row.name,
      email: row.email,
      founderEmail: row.founder_email,
      personId: row.made_by ?? row.account_id,
      requireDigest: row.require_digest,
      isRestricted: row.is_restricted,
      verification: verificationOf(row, secrets),
    }
  } catch (error) {
    log.error({ err: error, key: row.key }, 'cannot read the stored secret or public key of an access key')
    return undefined
  }
}

function verificationOf(row: KeyRow, secrets: Secrets): VerificationKey {
  if (row.public_key === null) {
    const secret = secrets.decrypt({ accountId: row.account_id, key: row.key }, row.encrypted_secret ?? Buffer.alloc(0))
    return { algorithm: 'hmac-sha256', secret }
  }
  const outcome = parsePublicKey(row.public_key)
  if (!outcome.ok) throw new Error(outcome.message)
  return { algorithm: 'ed25519', publicKey: outcome.publicKey }
}
