import type { Permission } from '../../graphql/schema-types.generated.ts'

/** Describes the permissions in the order of the dialog. */
export const permissionTexts: readonly (readonly [Permission, string])[] = [
  ['DEVICE_READ', 'see devices, services, and attributes'],
  ['EVENT_READ', 'see events of devices'],
  ['DEVICE_WRITE', 'rename and change devices and services'],
  ['ATTRIBUTE_WRITE', 'change attributes'],
  ['STATE_REPORT', 'report states'],
  ['VIEW_MANAGE', 'create and change views'],
  ['DEVICE_CREATE', 'register devices'],
  ['DEVICE_DELETE', 'delete devices'],
  ['DEVICE_SECRET', 'give devices a new secret'],
  ['WEBHOOK_MANAGE', 'manage webhooks'],
  ['ALERT_ACKNOWLEDGE', 'acknowledge alerts'],
  ['ALERT_MANAGE', 'manage alert rules and channels'],
  ['KEY_OWN', 'have personal access keys'],
  ['KEY_MANAGE', 'manage all access keys'],
  ['AUDIT_READ', 'see events of the account and its members'],
  ['MEMBER_MANAGE', 'manage members, roles, and invitations'],
  ['ACCOUNT_MANAGE', 'change the account'],
]
