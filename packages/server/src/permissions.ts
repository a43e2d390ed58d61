/** The permissions that a role or key can have. A name's position in the list is the position of its bit in a mask. */
export const permissionNames = [
  'DEVICE_READ',
  'EVENT_READ',
  'KEY_OWN',
  'DEVICE_WRITE',
  'DEVICE_CREATE',
  'ATTRIBUTE_WRITE',
  'STATE_REPORT',
  'ALERT_ACKNOWLEDGE',
  'VIEW_MANAGE',
  'DEVICE_DELETE',
  'DEVICE_SECRET',
  'WEBHOOK_MANAGE',
  'ALERT_MANAGE',
  'KEY_MANAGE',
  'AUDIT_READ',
  'MEMBER_MANAGE',
  'ACCOUNT_MANAGE',
] as const

export type PermissionName = (typeof permissionNames)[number]

/** Returns permissions as a bit mask, which integer operations can check quickly. */
export const maskOf = (names: readonly PermissionName[]): number =>
  names.reduce((mask, name) => mask | (1 << permissionNames.indexOf(name)), 0)

export const namesIn = (mask: number): PermissionName[] => permissionNames.filter((_name, bit) => mask & (1 << bit))

export const isPermission = (name: string): name is PermissionName =>
  (permissionNames as readonly string[]).includes(name)

/** An undefined mask contains no permission. */
export const isPermitted = (mask: number | undefined, name: PermissionName): boolean =>
  includes(mask ?? 0, maskOf([name]))

export const includes = (whole: number, part: number): boolean => (whole & part) === part

/** The permissions that decide which events a stream contains. */
export const streamPermissions = maskOf(['EVENT_READ', 'AUDIT_READ'])

/** A restricted role or key cannot have these permissions, because they cannot be limited to certain devices. */
export const neverRestricted = maskOf([
  'KEY_MANAGE',
  'MEMBER_MANAGE',
  'ACCOUNT_MANAGE',
  'AUDIT_READ',
  'WEBHOOK_MANAGE',
  'ALERT_MANAGE',
  'VIEW_MANAGE',
])

const viewer = maskOf(['DEVICE_READ', 'EVENT_READ', 'KEY_OWN'])
const operator =
  viewer |
  maskOf(['DEVICE_WRITE', 'DEVICE_CREATE', 'ATTRIBUTE_WRITE', 'STATE_REPORT', 'ALERT_ACKNOWLEDGE', 'VIEW_MANAGE'])
const manager =
  operator | maskOf(['DEVICE_DELETE', 'DEVICE_SECRET', 'WEBHOOK_MANAGE', 'ALERT_MANAGE', 'KEY_MANAGE', 'AUDIT_READ'])
const admin = manager | maskOf(['MEMBER_MANAGE', 'ACCOUNT_MANAGE'])

/** The roles that every account has. Each role includes the permissions of the roles before it. */
export const builtInRoles = { viewer, operator, admin, owner: admin } as const

export type BuiltInRole = keyof typeof builtInRoles

export const isBuiltIn = (roleId: string): roleId is BuiltInRole => Object.hasOwn(builtInRoles, roleId)

/**
 * The permissions of keys that were created before permissions existed. By default, a new key gets these permissions,
 * except those that its creator lacks and, if the key is restricted, those in `neverRestricted`.
 */
export const usualKeyPermissions = manager

/** Treats null as `usualKeyPermissions`. Ignores stored names that this release does not know. */
export const permissionsOfKey = (stored: readonly string[] | null): number =>
  stored === null ? manager : maskOf(stored.filter(isPermission))

/** Uses `stored` only for a custom role, and ignores names in it that this release does not know. */
export const permissionsOfRole = (roleId: string, stored: readonly string[] | null): number =>
  isBuiltIn(roleId) ? builtInRoles[roleId] : maskOf((stored ?? []).filter(isPermission))
