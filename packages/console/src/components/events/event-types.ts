import type { EventType } from '../../graphql/schema-types.generated.ts'

export type { EventType }

interface EventTypeInfo {
  type: EventType
  label: string
  about: string
}

interface EventTypeGroup {
  group: string
  types: readonly EventTypeInfo[]
}

export const eventTypeGroups: readonly EventTypeGroup[] = [
  {
    group: 'State',
    types: [
      { type: 'DEVICE_STATE', label: 'Device state', about: 'A device became active or inactive' },
      {
        type: 'SERVICE_STATE',
        label: 'Service state',
        about: 'A service that reports its own state became active or inactive',
      },
    ],
  },
  {
    group: 'Devices and services',
    types: [
      { type: 'DEVICE_REGISTER', label: 'Device registered', about: 'A device was added or registered itself' },
      { type: 'DEVICE_UPDATE', label: 'Device changed', about: 'A device’s name, hardware ID, or platform changed' },
      { type: 'DEVICE_DELETE', label: 'Device deleted', about: 'A device and its services were deleted' },
      { type: 'DEVICE_TRANSFER', label: 'Device moved', about: 'A device moved to or from another account' },
      { type: 'DEVICE_SECRET_ROTATE', label: 'Device secret rotated', about: 'A device received a new secret' },
      { type: 'SERVICE_ADD', label: 'Service added', about: 'A service was added to a device' },
      {
        type: 'SERVICE_UPDATE',
        label: 'Service changed',
        about: 'A service’s name, type, host, or port changed, or it was enabled or disabled',
      },
      { type: 'SERVICE_REMOVE', label: 'Service removed', about: 'A service was removed from a device' },
      { type: 'ATTRIBUTE_CHANGE', label: 'Attributes changed', about: 'Attributes were set or removed' },
    ],
  },
  {
    group: 'Account',
    types: [
      { type: 'AUTH_LOGIN', label: 'Sign-in', about: 'A user signed in to the console' },
      {
        type: 'AUTH_FAIL',
        label: 'Failed sign-in',
        about: 'A sign-in failed, or a user entered a wrong password or code',
      },
      { type: 'SESSION_REVOKE', label: 'Sessions ended', about: 'Sessions ended before they expired' },
      { type: 'PASSWORD_CHANGE', label: 'Password changed', about: 'A user’s password was changed or reset' },
      {
        type: 'AUTHENTICATOR_ADD',
        label: 'Authenticator app added',
        about: 'Signing in with a password now requires a code',
      },
      {
        type: 'AUTHENTICATOR_UPDATE',
        label: 'Backup codes created',
        about: 'The previous backup codes no longer work',
      },
      {
        type: 'AUTHENTICATOR_REMOVE',
        label: 'Authenticator app removed',
        about: 'Signing in with a password no longer requires a code',
      },
      { type: 'PASSKEY_ADD', label: 'Passkey added', about: 'A user can sign in with a new passkey' },
      { type: 'PASSKEY_UPDATE', label: 'Passkey renamed', about: 'A passkey was renamed' },
      { type: 'PASSKEY_REMOVE', label: 'Passkey removed', about: 'A passkey no longer works' },
      { type: 'USER_ADD', label: 'User added', about: 'An operator added a user' },
      { type: 'USER_DISABLE', label: 'User disabled', about: 'An operator disabled a user' },
      { type: 'USER_ENABLE', label: 'User enabled', about: 'An operator enabled a user' },
      { type: 'USER_REMOVE', label: 'User removed', about: 'An operator removed a user from the installation' },
      { type: 'ACCESS_KEY_CREATE', label: 'Access key created', about: 'Programs can sign requests with a new key' },
      {
        type: 'ACCESS_KEY_UPDATE',
        label: 'Access key changed',
        about: 'A key was renamed, enabled, disabled, or rotated, or its access was restricted',
      },
      {
        type: 'FRESHNESS_UPDATE',
        label: 'Expected interval changed',
        about: 'The expected interval between writes of an attribute changed',
      },
      { type: 'KEY_POLICY_UPDATE', label: 'Key policy changed', about: 'The account’s rules for access keys changed' },
      { type: 'ACCESS_KEY_DELETE', label: 'Access key deleted', about: 'A key was deleted and no longer works' },
      { type: 'VIEW_CREATE', label: 'View saved', about: 'A list’s filter, sort order, and columns were saved' },
      { type: 'VIEW_UPDATE', label: 'View changed', about: 'A saved view was changed' },
      { type: 'VIEW_DELETE', label: 'View deleted', about: 'A saved view no longer exists' },
      { type: 'BULK_START', label: 'Bulk job started', about: 'A job that changes many devices was started' },
      { type: 'BULK_FINISH', label: 'Bulk job ended', about: 'A job that changes many devices ended' },
      { type: 'BULK_UNDO', label: 'Bulk undo started', about: 'A job that undoes another job was started' },
      {
        type: 'DOWNLOAD_LINK_CREATE',
        label: 'Download link created',
        about: 'A new link to download data is valid for one hour',
      },
      {
        type: 'REGISTRATION_CODE_CREATE',
        label: 'Registration code created',
        about: 'Devices can register with a new code',
      },
      {
        type: 'REGISTRATION_CODE_DELETE',
        label: 'Registration code deleted',
        about: 'A code was deleted and no longer works',
      },
    ],
  },
  {
    group: 'Members and roles',
    types: [
      {
        type: 'ACCOUNT_UPDATE',
        label: 'Account changed',
        about: 'The account’s name, email address, or sign-in policy changed',
      },
      { type: 'MEMBER_JOIN', label: 'Member joined', about: 'A person became a member of the account' },
      { type: 'MEMBER_UPDATE', label: 'Member changed', about: 'A member received a different role' },
      { type: 'MEMBER_LEAVE', label: 'Member left', about: 'A person left the account or was removed' },
      {
        type: 'INVITATION_CREATE',
        label: 'Invitation created',
        about: 'A person can join the account with a new link',
      },
      {
        type: 'INVITATION_DELETE',
        label: 'Invitation deleted',
        about: 'An invitation link was deleted and no longer works',
      },
      { type: 'ROLE_CREATE', label: 'Role created', about: 'A new role can be assigned to members' },
      { type: 'ROLE_UPDATE', label: 'Role changed', about: 'A role’s name, access, or groups changed' },
      { type: 'ROLE_DELETE', label: 'Role deleted', about: 'A role no longer exists' },
    ],
  },
  {
    group: 'Webhooks',
    types: [
      { type: 'WEBHOOK_CREATE', label: 'Webhook created', about: 'A new webhook sends events' },
      { type: 'WEBHOOK_UPDATE', label: 'Webhook changed', about: 'A webhook’s settings or secret changed' },
      {
        type: 'WEBHOOK_PAUSE',
        label: 'Webhook paused',
        about: 'All deliveries of a webhook failed for 5 days, or its view cannot be used',
      },
      { type: 'WEBHOOK_DELETE', label: 'Webhook deleted', about: 'A webhook no longer sends events' },
    ],
  },
  {
    group: 'Installation',
    types: [
      { type: 'BACKUP_CREATE', label: 'Backup created', about: 'A backup of the database was written' },
      { type: 'BACKUP_RESTORE', label: 'Backup restored', about: 'The database was restored from a backup' },
      { type: 'MASTER_KEY_ROTATE', label: 'Master key rotated', about: 'Secrets are encrypted with a new master key' },
    ],
  },
]

export const eventTypes: readonly EventTypeInfo[] = eventTypeGroups.flatMap(({ types }) => types)

const labels = new Map<string, string>(eventTypes.map(({ type, label }) => [type, label]))

export const eventLabel = (type: string): string => labels.get(type) ?? type

export const isEventType = (value: unknown): value is EventType => typeof value === 'string' && labels.has(value)

export const eventTypeOptions = eventTypeGroups.map(({ group, types }) => ({
  group,
  items: types.map(({ type, label }) => ({ value: type, label })),
}))
