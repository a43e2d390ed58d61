import type { Restriction, RestrictionPart } from '../../restriction.ts'
import type { EventSource } from '../events/event-types.ts'

export interface AccessKey {
  key: string
  name: string | null
  enabled: boolean
  readOnly: boolean
  requireDigest: boolean
  algorithm: 'hmac-sha256' | 'ed25519'
  created: Date
  /** When the key last signed a request, precise to the minute. Null if it never has. */
  lastUsed: Date | null
  expires: Date | null
  /** A personal key is deleted when its creator's membership ends, and never allows more than its creator's role. */
  kind: 'account' | 'personal'
  /** The ID of the person who created the key. Null if an earlier release created the key without recording the ID. */
  madeBy: string | null
  permissions: number
  own: RestrictionPart
  /** The restrictions of the callers who created or rotated the key. They apply in addition to `own`. */
  within: Restriction
  /** The networks from which the key may be used, in CIDR notation. If empty, the key may be used from any address. */
  networks: string[]
  /** The percentage of the account's rate-limit quota that the key can spend. */
  rateShare: number
  /** What created the key, such as the console, or null if an earlier release created the key without recording it. */
  source: EventSource | null
  replacedBy: string | null
  /** Whether the key is in the table of restricted keys, which servers of the previous release do not read. */
  isRestricted: boolean
  /** Whether this is a personal key whose creator is no longer an enabled member. */
  isWithoutMember: boolean
  /**
   * The time when the creator of a personal key last used single sign-on or, if no use is recorded, became a member.
   * Null unless the creator is a member through a group.
   */
  lastSignIn: Date | null
}

export const isExpired = ({ expires }: AccessKey, now: Date): boolean => expires !== null && expires <= now

export interface CreatedAccessKey {
  key: string
  /**
   * The secret in base64, or null if the key was created with `publicKey`. The server returns the secret only on
   * creation.
   */
  secret: string | null
  accessKey: AccessKey
}
