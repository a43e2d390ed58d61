import type { EventType } from '../../graphql/schema-types.generated.ts'

export type { EventType }

type EventTypeInfo = readonly [type: EventType, label: string, about: string]

interface EventTypeGroup {
  group: string
  types: readonly EventTypeInfo[]
}

export const eventTypeGroups: readonly EventTypeGroup[] = [
  {
    group: 'State',
    types: [
      ['DEVICE_STATE', 'Device state', 'A device became active or inactive'],
      ['SERVICE_STATE', 'Service state', 'A service that reports its own state became active or inactive'],
    ],
  },
  {
    group: 'Devices and services',
    types: [
      ['DEVICE_REGISTER', 'Device registered', 'A device was added or registered itself'],
      ['DEVICE_UPDATE', 'Device changed', 'A device’s name, hardware ID, or platform changed'],
      ['DEVICE_DELETE', 'Device deleted', 'A device and its services were deleted'],
      ['DEVICE_TRANSFER', 'Device moved', 'A device moved to or from another account'],
      ['DEVICE_SECRET_ROTATE', 'Device secret rotated', 'A device received a new secret or lost its secret'],
      ['SERVICE_ADD', 'Service added', 'A service was added to a device'],
      [
        'SERVICE_UPDATE',
        'Service changed',
        'A service’s name, type, host, or port changed, or the service was enabled or disabled',
      ],
      ['SERVICE_REMOVE', 'Service removed', 'A service was removed from a device'],
      ['ATTRIBUTE_CHANGE', 'Attributes changed', 'Attributes were set or removed'],
    ],
  },
  {
    group: 'Account',
    types: [
      ['AUTH_LOGIN', 'Sign-in', 'A user signed in to the console'],
      [
        'AUTH_FAIL',
        'Failed sign-in',
        'A sign-in failed, or a signed-in user provided an invalid password, code, or passkey',
      ],
      ['SESSION_REVOKE', 'Sessions ended', 'Sessions ended before they expired'],
      ['PASSWORD_CHANGE', 'Password changed', 'A user’s password was changed or reset'],
      ['AUTHENTICATOR_ADD', 'Authenticator app added', 'A user turned on two-factor authentication'],
      ['AUTHENTICATOR_UPDATE', 'Backup codes created', 'A user’s previous backup codes no longer work'],
      ['AUTHENTICATOR_REMOVE', 'Authenticator app removed', 'Two-factor authentication was turned off for a user'],
      ['PASSKEY_ADD', 'Passkey added', 'A user can sign in with a new passkey'],
      ['PASSKEY_UPDATE', 'Passkey renamed', 'A passkey was renamed'],
      ['PASSKEY_REMOVE', 'Passkey removed', 'A passkey no longer works'],
      ['USER_ADD', 'User added', 'An operator added a user'],
      ['USER_DISABLE', 'User disabled', 'An operator disabled a user'],
      ['USER_ENABLE', 'User enabled', 'An operator enabled a user'],
      ['USER_REMOVE', 'User removed', 'An operator removed a user from the installation'],
      ['ACCESS_KEY_CREATE', 'Access key created', 'Programs can sign requests with a new key'],
      ['ACCESS_KEY_UPDATE', 'Access key changed', 'A key was rotated, or its settings changed'],
      ['FRESHNESS_UPDATE', 'Expected interval changed', 'The expected interval between writes of an attribute changed'],
      ['KEY_POLICY_UPDATE', 'Key policy changed', 'The account’s rules for access keys changed'],
      ['ACCESS_KEY_DELETE', 'Access key deleted', 'A key was deleted and no longer works'],
      ['VIEW_CREATE', 'View saved', 'A new view was saved'],
      ['VIEW_UPDATE', 'View changed', 'A saved view was changed'],
      ['VIEW_DELETE', 'View deleted', 'A saved view no longer exists'],
      ['BULK_START', 'Bulk job started', 'A job that changes many devices was started'],
      ['BULK_FINISH', 'Bulk job ended', 'A job that changes many devices ended'],
      ['BULK_UNDO', 'Bulk undo started', 'A job that undoes another job was started'],
      ['DOWNLOAD_LINK_CREATE', 'Download link created', 'A link to download data was created'],
      ['REGISTRATION_CODE_CREATE', 'Registration code created', 'Devices can register with a new code'],
      ['REGISTRATION_CODE_DELETE', 'Registration code deleted', 'A code was deleted and no longer works'],
    ],
  },
  {
    group: 'Members and roles',
    types: [
      ['ACCOUNT_UPDATE', 'Account changed', 'The account’s name, email address, or sign-in policy changed'],
      ['MEMBER_JOIN', 'Member joined', 'A person became a member of the account'],
      ['MEMBER_UPDATE', 'Member changed', 'A member received a different role'],
      ['MEMBER_LEAVE', 'Member left', 'A person left the account or was removed'],
      ['INVITATION_CREATE', 'Invitation created', 'A person can join the account with a new link'],
      ['INVITATION_DELETE', 'Invitation deleted', 'An invitation was deleted, and its link no longer works'],
      ['ROLE_CREATE', 'Role created', 'A new role can be assigned to members'],
      ['ROLE_UPDATE', 'Role changed', 'A role’s name, access, or groups changed'],
      ['ROLE_DELETE', 'Role deleted', 'A role no longer exists'],
    ],
  },
  {
    group: 'Webhooks',
    types: [
      ['WEBHOOK_CREATE', 'Webhook created', 'A webhook was added'],
      ['WEBHOOK_UPDATE', 'Webhook changed', 'A webhook’s settings or secret changed'],
      ['WEBHOOK_PAUSE', 'Webhook paused', 'All attempts for a webhook failed for 5 days, or its view cannot be used'],
      ['WEBHOOK_DELETE', 'Webhook deleted', 'A webhook and its deliveries were deleted'],
    ],
  },
  {
    group: 'Installation',
    types: [
      ['BACKUP_CREATE', 'Backup created', 'A backup of the database was written'],
      ['BACKUP_RESTORE', 'Backup restored', 'The database was restored from a backup'],
      ['MASTER_KEY_ROTATE', 'Master key rotated', 'Secrets are encrypted with a new master key'],
    ],
  },
]

export const eventTypes: readonly EventTypeInfo[] = eventTypeGroups.flatMap(({ types }) => types)

const labels = new Map<string, string>(eventTypes.map(([type, label]) => [type, label]))

export const eventLabel = (type: string): string => labels.get(type) ?? type

export const isEventType = (value: unknown): value is EventType => typeof value === 'string' && labels.has(value)

export const eventTypeOptions = eventTypeGroups.map(({ group, types }) => ({
  group,
  items: types.map(([type, label]) => ({ value: type, label })),
}))
