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

const eventType = (type: EventType, label: string, about: string): EventTypeInfo => ({ type, label, about })

export const eventTypeGroups: readonly EventTypeGroup[] = [
  {
    group: 'State',
    types: [
      eventType('DEVICE_STATE', 'Device state', 'A device became active or inactive'),
      eventType('SERVICE_STATE', 'Service state', 'A service that reports its own state became active or inactive'),
    ],
  },
  {
    group: 'Devices and services',
    types: [
      eventType('DEVICE_REGISTER', 'Device registered', 'A device was added or registered itself'),
      eventType('DEVICE_UPDATE', 'Device changed', 'A device’s name, hardware ID, or platform changed'),
      eventType('DEVICE_DELETE', 'Device deleted', 'A device and its services were deleted'),
      eventType('DEVICE_TRANSFER', 'Device moved', 'A device moved to or from another account'),
      eventType('DEVICE_SECRET_ROTATE', 'Device secret rotated', 'A device received a new secret'),
      eventType('SERVICE_ADD', 'Service added', 'A service was added to a device'),
      eventType(
        'SERVICE_UPDATE',
        'Service changed',
        'A service’s name, type, host, or port changed, or it was enabled or disabled',
      ),
      eventType('SERVICE_REMOVE', 'Service removed', 'A service was removed from a device'),
      eventType('ATTRIBUTE_CHANGE', 'Attributes changed', 'Attributes were set or removed'),
    ],
  },
  {
    group: 'Account',
    types: [
      eventType('AUTH_LOGIN', 'Sign-in', 'A user signed in to the console'),
      eventType('AUTH_FAIL', 'Failed sign-in', 'A sign-in failed, or a user entered a wrong password or code'),
      eventType('SESSION_REVOKE', 'Sessions ended', 'Sessions ended before they expired'),
      eventType('PASSWORD_CHANGE', 'Password changed', 'A user’s password was changed or reset'),
      eventType('AUTHENTICATOR_ADD', 'Authenticator app added', 'Signing in with a password now requires a code'),
      eventType('AUTHENTICATOR_UPDATE', 'Backup codes created', 'The previous backup codes no longer work'),
      eventType(
        'AUTHENTICATOR_REMOVE',
        'Authenticator app removed',
        'Signing in with a password no longer requires a code',
      ),
      eventType('PASSKEY_ADD', 'Passkey added', 'A user can sign in with a new passkey'),
      eventType('PASSKEY_UPDATE', 'Passkey renamed', 'A passkey was renamed'),
      eventType('PASSKEY_REMOVE', 'Passkey removed', 'A passkey no longer works'),
      eventType('USER_ADD', 'User added', 'An operator added a user'),
      eventType('USER_DISABLE', 'User disabled', 'An operator disabled a user'),
      eventType('USER_ENABLE', 'User enabled', 'An operator enabled a user'),
      eventType('USER_REMOVE', 'User removed', 'An operator removed a user from the installation'),
      eventType('ACCESS_KEY_CREATE', 'Access key created', 'Programs can sign requests with a new key'),
      eventType(
        'ACCESS_KEY_UPDATE',
        'Access key changed',
        'A key was renamed, enabled, disabled, or rotated, or its access was restricted',
      ),
      eventType(
        'FRESHNESS_UPDATE',
        'Expected interval changed',
        'The expected interval between writes of an attribute changed',
      ),
      eventType('KEY_POLICY_UPDATE', 'Key policy changed', 'The account’s rules for access keys changed'),
      eventType('ACCESS_KEY_DELETE', 'Access key deleted', 'A key was deleted and no longer works'),
      eventType('VIEW_CREATE', 'View saved', 'A list’s filter, sort order, and columns were saved'),
      eventType('VIEW_UPDATE', 'View changed', 'A saved view was changed'),
      eventType('VIEW_DELETE', 'View deleted', 'A saved view no longer exists'),
      eventType('BULK_START', 'Bulk job started', 'A job that changes many devices was started'),
      eventType('BULK_FINISH', 'Bulk job ended', 'A job that changes many devices ended'),
      eventType('BULK_UNDO', 'Bulk undo started', 'A job that undoes another job was started'),
      eventType('DOWNLOAD_LINK_CREATE', 'Download link created', 'A new link to download data is valid for one hour'),
      eventType('REGISTRATION_CODE_CREATE', 'Registration code created', 'Devices can register with a new code'),
      eventType('REGISTRATION_CODE_DELETE', 'Registration code deleted', 'A code was deleted and no longer works'),
    ],
  },
  {
    group: 'Members and roles',
    types: [
      eventType('ACCOUNT_UPDATE', 'Account changed', 'The account’s name, email address, or sign-in policy changed'),
      eventType('MEMBER_JOIN', 'Member joined', 'A person became a member of the account'),
      eventType('MEMBER_UPDATE', 'Member changed', 'A member received a different role'),
      eventType('MEMBER_LEAVE', 'Member left', 'A person left the account or was removed'),
      eventType('INVITATION_CREATE', 'Invitation created', 'A person can join the account with a new link'),
      eventType('INVITATION_DELETE', 'Invitation deleted', 'An invitation link was deleted and no longer works'),
      eventType('ROLE_CREATE', 'Role created', 'A new role can be assigned to members'),
      eventType('ROLE_UPDATE', 'Role changed', 'A role’s name, access, or groups changed'),
      eventType('ROLE_DELETE', 'Role deleted', 'A role no longer exists'),
    ],
  },
  {
    group: 'Webhooks',
    types: [
      eventType('WEBHOOK_CREATE', 'Webhook created', 'A new webhook sends events'),
      eventType('WEBHOOK_UPDATE', 'Webhook changed', 'A webhook’s settings or secret changed'),
      eventType(
        'WEBHOOK_PAUSE',
        'Webhook paused',
        'All deliveries of a webhook failed for 5 days, or its view cannot be used',
      ),
      eventType('WEBHOOK_DELETE', 'Webhook deleted', 'A webhook no longer sends events'),
    ],
  },
  {
    group: 'Installation',
    types: [
      eventType('BACKUP_CREATE', 'Backup created', 'A backup of the database was written'),
      eventType('BACKUP_RESTORE', 'Backup restored', 'The database was restored from a backup'),
      eventType('MASTER_KEY_ROTATE', 'Master key rotated', 'Secrets are encrypted with a new master key'),
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
