import type { ResolvedFilter } from '@muster/filter'
import {
  isPermission,
  maskOf,
  namesIn,
  neverRestricted,
  type PermissionName,
  permissionsOfKey,
  permissionsOfRole,
} from './permissions.ts'

/** The attribute names that a restricted caller can access. A name can end with the wildcard `*`. */
export interface AttributeScope {
  readonly read: string[]
  /** The caller can also read these names. */
  readonly write: string[]
}

/** A device must match both the filter `where` and the view. Omitted members restrict nothing. */
export interface RestrictionPart {
  readonly where?: string
  readonly view?: string
  /** The context in which the filter and the view read attributes. */
  readonly context?: string
  readonly attributes?: AttributeScope
}

/** A device or attribute must satisfy every part. */
export type Restriction = readonly RestrictionPart[]

/** The devices and attribute names that a request can access. Computed from its restrictions and the views in them. */
export interface Reach {
  /** A filter that selects the devices and reads attributes in fixed contexts. Undefined means all devices. */
  readonly devices: ResolvedFilter | undefined
  /** The limits on attribute names, all of which apply. Undefined means all names. */
  readonly names: readonly AttributeScope[] | undefined
}

export interface StoredRestriction {
  readonly permissions: readonly string[]
  readonly own: RestrictionPart
  /** The restrictions that the callers who granted this access had when they granted it. */
  readonly within: Restriction
}

export interface Access {
  readonly permissions: number
  readonly own: RestrictionPart
  readonly within: Restriction
}

export interface StoredAccess {
  readonly permissions: readonly string[] | null
  readonly restriction: StoredRestriction | null
}

const unrestricted = { own: {}, within: [] } as const

export function accessOfKey({ permissions, restriction }: StoredAccess): Access {
  return restriction === null ? { permissions: permissionsOfKey(permissions), ...unrestricted } : accessIn(restriction)
}

export function accessOfRole(roleId: string, { permissions, restriction }: StoredAccess): Access {
  return restriction === null
    ? { permissions: permissionsOfRole(roleId, permissions), ...unrestricted }
    : accessIn(restriction)
}

const accessIn = ({ permissions, own, within }: StoredRestriction): Access => ({
  permissions: maskOf(permissions.filter(isPermission)) & ~neverRestricted,
  own,
  within,
})

/** Returns the restriction to store, or null if the role or key is not restricted. */
export function storedRestriction(access: Access): StoredRestriction | null {
  if (restrictionOf(access) === undefined) return null
  const { permissions, own, within } = access
  return { permissions: namesIn(permissions) satisfies PermissionName[], own, within }
}

/** Returns all restrictions of a role or key, or undefined if it has none. */
export function restrictionOf({ own, within }: Pick<Access, 'own' | 'within'>): Restriction | undefined {
  const parts = [own, ...within].filter((part) => Object.keys(part).length > 0)
  return parts.length === 0 ? undefined : parts
}

/** Combines two restrictions into one that applies both. */
export function bothRestrictions(
  one: Restriction | undefined,
  other: Restriction | undefined,
): Restriction | undefined {
  return one === undefined || other === undefined ? (one ?? other) : [...one, ...other]
}

/** Returns the filter that statements must apply when they read devices or their data, or undefined for all devices. */
export const insideOf = (caller: Restricted): ResolvedFilter | undefined => reachOf(caller)?.devices

/** Returns the limits on the attribute names that a caller can read and set, or undefined for all names. */
export const namesOf = (caller: Restricted): readonly AttributeScope[] | undefined => reachOf(caller)?.names

interface Restricted {
  readonly restriction?: Restriction | undefined
  readonly reach?: Reach
}

function reachOf({ restriction, reach }: Restricted): Reach | undefined {
  if (restriction === undefined) return undefined
  if (reach === undefined)
    throw new Error('the caller is restricted but has no reach: call withReach before the operation')
  return reach
}

export const isSameRestriction = (one: Restriction | undefined, other: Restriction | undefined): boolean =>
  JSON.stringify(one) === JSON.stringify(other)
