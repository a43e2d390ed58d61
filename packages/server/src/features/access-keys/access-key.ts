import type { Restriction, RestrictionPart } from '../../restriction.ts'
import type { EventSource } from '../events/event-types.ts'

/** An access key without its secret, as the rest of the server uses it. */
export interface AccessKey {
  /** The key ID that requests are signed with. */
  key: string
  name: string | null
  enabled: boolean
  readOnly: boolean
  requireDigest: boolean
  algorithm: 'hmac-sha256' | 'ed25519'
  created: Date
  /** Precise to the minute. */
  lastUsed: Date | null
  expires: Date | null
  /** A personal key ends with its creator's membership, and never allows more than its creator's role. */
  kind: 'account' | 'personal'
  /** The person who created the key; null for keys from before this was recorded. */
  madeBy: string | null
  permissions: number
  /** The devices that the key is restricted to, and the restrictions of the callers who created it. */
  own: RestrictionPart
  within: Restriction
  /** CIDRs; empty for any address. */
  networks: string[]
  /** The percentage of a key's points that the key may spend. */
  rateShare: number
  /** What created the key; null for keys from before this was recorded. */
  source: EventSource | null
  /** The key that replaces this one since it was rotated. */
  replacedBy: string | null
  /** Whether the key is in the table that servers of the previous release do not know. */
  isRestricted: boolean
  /** Whether this is a personal key of a person who is not a member. */
  isWithoutMember: boolean
}

export interface CreatedAccessKey {
  key: string
  /** The secret in base64, returned only on creation; null for a key that was created with `publicKey`. */
  secret: string | null
  accessKey: AccessKey
}
