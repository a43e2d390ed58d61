import type { ResolvedFilter } from '@muster/filter'
import { isPermission, maskOf, namesIn, type PermissionName, permissionsOfKey, permissionsOfRole } from './access.ts'

/** A restriction to some devices. A device must match both the filter and the view. Omitted members restrict nothing. */
export interface RestrictionPart {
  /** A device filter in canonical form. */
  readonly where?: string
  /** The ID of a view of devices. */
  readonly view?: string
  /** The context in which the filter and the view read attributes. */
  readonly context?: string
}

/** The restrictions of a role, a key, or a request, all of which apply. */
export type Restriction = readonly RestrictionPart[]

/** What a restricted request reaches, read from its restrictions and their views. */
export interface Reach {
  /** The devices, as a filter that reads attributes in fixed contexts; undefined for all devices. */
  readonly devices: ResolvedFilter | undefined
}

/** What the database stores of a restricted role or key. */
export interface StoredRestriction {
  readonly permissions: readonly string[]
  readonly own: RestrictionPart
  /** The restrictions of the callers who created it, at that time. */
  readonly within: Restriction
}

/** What a role or key allows: its permissions, and its restriction if it has one. */
export interface Access {
  readonly permissions: number
  readonly own: RestrictionPart
  readonly within: Restriction
}

export interface StoredAccess {
  readonly permissions: readonly string[] | null
  readonly restriction: StoredRestriction | null
}

/** Permissions that a restricted role or key cannot have, because what they allow is not limited to devices. */
export const neverRestricted = maskOf([
  'KEY_MANAGE',
  'MEMBER_MANAGE',
  'ACCOUNT_MANAGE',
  'AUDIT_READ',
  'WEBHOOK_MANAGE',
  'ALERT_MANAGE',
  'VIEW_MANAGE',
])

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

/** What to store of a restricted role or key; null if it is not restricted. */
export function storedRestriction(access: Access): StoredRestriction | null {
  if (restrictionOf(access) === undefined) return null
  const { permissions, own, within } = access
  return { permissions: namesIn(permissions) satisfies PermissionName[], own, within }
}

/** All restrictions of a role or key; undefined if it is not restricted. */
export function restrictionOf({ own, within }: Pick<Access, 'own' | 'within'>): Restriction | undefined {
  const parts = [own, ...within].filter((part) => Object.keys(part).length > 0)
  return parts.length === 0 ? undefined : parts
}

/** Combines restrictions, all of which apply. */
export function bothRestrictions(
  one: Restriction | undefined,
  other: Restriction | undefined,
): Restriction | undefined {
  return one === undefined || other === undefined ? (one ?? other) : [...one, ...other]
}

/** The devices that a caller reaches; undefined for all. Statements that find devices or their data must apply it. */
export function insideOf({
  restriction,
  reach,
}: {
  readonly restriction?: Restriction | undefined
  readonly reach?: Reach
}): ResolvedFilter | undefined {
  if (restriction === undefined) return undefined
  if (reach === undefined) throw new Error('the restriction of the caller was not read')
  return reach.devices
}

/** Whether two requests have the same restrictions. */
export const isSameRestriction = (one: Restriction | undefined, other: Restriction | undefined): boolean =>
  JSON.stringify(one) === JSON.stringify(other)
