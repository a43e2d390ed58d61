import type { Database } from '../db/database.ts'
import { parseRange } from '../lib/address-range.ts'
import { isIn } from '../lib/client-address.ts'
import { accessOfKey, accessOfRole, bothRestrictions, type Restriction, restrictionOf } from '../restriction.ts'
import { type KeyRow, selectKeys } from './auth.queries.ts'
import { consequencesOf, toKeyPolicy } from './key-policy-rules.ts'

export interface KeyGrant {
  readonly accountId: string
  readonly enabled: boolean
  readonly readOnly: boolean
  readonly isUserDisabled: boolean
  readonly expires: Date | null
  /** `member`: the creator of a personal key is not an enabled member of the account. */
  readonly suspended: 'member' | undefined
  /** When the account's key policy begins to suspend the key, or undefined if it does not. */
  readonly suspendedFrom: Date | undefined
  /** When the account's key policy begins to require a digest, or undefined if it does not. */
  readonly digestFrom: Date | undefined
  /**
   * When a personal key's creator last used single sign-on or, if no such use is recorded, became a member.
   * Null unless the creator is an enabled person and a member through a group.
   */
  readonly lastSignIn: Date | null
  readonly permissions: number
  readonly restriction: Restriction | undefined
  /** Undefined if the key may be used from any address. */
  readonly isAllowedFrom: ((address: string) => boolean) | undefined
  /** The percentage of the account's quota that the key may spend. */
  readonly rateShare: number
}

type GrantRow = Omit<KeyRow, 'encrypted_secret' | 'public_key'>

export function toKeyGrant(row: GrantRow): KeyGrant {
  const isPersonal = row.kind === 'personal'
  const own = accessOfKey(row)
  const role = { permissions: row.role_permissions, restriction: row.role_restriction }
  const ofRole = row.role === null ? undefined : accessOfRole(row.role, role)
  return {
    accountId: row.account_id,
    enabled: row.enabled,
    readOnly: row.read_only,
    isUserDisabled: row.user_disabled,
    expires: row.expires,
    suspended: isPersonal && row.role === null ? 'member' : undefined,
    ...consequencesOf(toKeyPolicy(row.key_policy), { ...row, requireDigest: row.require_digest }),
    lastSignIn: row.last_sign_in,
    permissions: isPersonal ? own.permissions & (ofRole?.permissions ?? 0) : own.permissions,
    restriction: bothRestrictions(restrictionOf(own), ofRole && restrictionOf(ofRole)),
    isAllowedFrom: row.networks.length === 0 ? undefined : isIn(row.networks.map((network) => parseRange(network)!)),
    rateShare: row.rate_share,
  }
}

export async function findKeyGrant(db: Database, key: string): Promise<KeyGrant | undefined> {
  const [row] = await selectKeys(db, [key])
  return row && toKeyGrant(row)
}
