import type { Permission } from '../../graphql/schema-types.generated.ts'
import { unrestrictable } from './unrestrictable.generated.ts'

export const permissionTexts: readonly (readonly [Permission, string])[] = [
  ['DEVICE_READ', 'see devices, services, attributes, views, and bulk jobs'],
  ['EVENT_READ', 'see device events'],
  ['DEVICE_WRITE', 'change devices, and add, change, and remove services'],
  ['ATTRIBUTE_WRITE', 'change attributes'],
  ['STATE_REPORT', 'report states'],
  ['VIEW_MANAGE', 'create, change, and delete views'],
  ['DEVICE_CREATE', 'register devices and manage registration codes'],
  ['DEVICE_DELETE', 'delete devices or move them to another account'],
  ['DEVICE_SECRET', 'give devices a new secret'],
  ['WEBHOOK_MANAGE', 'manage webhooks'],
  ['ALERT_ACKNOWLEDGE', 'acknowledge alerts (has no effect)'],
  ['ALERT_MANAGE', 'manage alert rules and channels (has no effect)'],
  ['KEY_OWN', 'have personal access keys'],
  ['KEY_MANAGE', 'manage all access keys'],
  ['AUDIT_READ', 'see members, invitations, roles, keys, policies, and (with EVENT_READ) account events'],
  ['MEMBER_MANAGE', 'manage members, roles, and invitations'],
  ['ACCOUNT_MANAGE', 'change the account’s name, email address, and policies'],
]

const textOf = new Map(permissionTexts)

export const describePermissions = (permissions: readonly Permission[]): string =>
  permissionTexts
    .filter(([name]) => permissions.includes(name))
    .map(([, text]) => text)
    .join('; ') || 'nothing'

/** Describes the permissions that rule out a restriction. Returns undefined if there are none. */
export function describeUnrestrictable(permissions: readonly Permission[]): string | undefined {
  const found = unrestrictable.filter((permission) => permissions.includes(permission))
  return found.length === 0 ? undefined : found.map((permission) => `“${textOf.get(permission)}”`).join(', ')
}

const reading: readonly Permission[] = ['DEVICE_READ', 'EVENT_READ', 'AUDIT_READ']

export const isReadOnly = (permissions: readonly Permission[]): boolean =>
  permissions.every((permission) => reading.includes(permission))
