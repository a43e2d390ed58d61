import type { EventType } from '../graphql/schema-types.generated.ts'

export type { EventType }

export interface EventTypeText {
  type: EventType
  label: string
  /** When it happens. */
  about: string
}

export interface EventTypeGroup {
  group: string
  types: readonly EventTypeText[]
}

/** All types of event, in the order in which people look for them. */
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
      { type: 'DEVICE_UPDATE', label: 'Device changed', about: 'Its name, hardware id or platform changed' },
      { type: 'DEVICE_DELETE', label: 'Device deleted', about: 'A device and all of its services are gone' },
      { type: 'DEVICE_SECRET_ROTATE', label: 'Device secret rotated', about: 'A device has a new secret' },
      { type: 'SERVICE_ADD', label: 'Service added', about: 'A device has one service more' },
      { type: 'SERVICE_UPDATE', label: 'Service changed', about: 'Its name, type, host or port changed' },
      { type: 'SERVICE_REMOVE', label: 'Service removed', about: 'A device has one service less' },
      { type: 'ATTRIBUTE_CHANGE', label: 'Attributes changed', about: 'Values of attributes were set or removed' },
    ],
  },
  {
    group: 'Account',
    types: [
      { type: 'AUTH_LOGIN', label: 'Sign-in', about: 'A user signed in to the console' },
      { type: 'AUTH_FAIL', label: 'Failed sign-in', about: 'A sign-in failed, or a wrong password or code was given' },
      { type: 'SESSION_REVOKE', label: 'Sessions ended', about: 'Sessions were ended before they expired' },
      { type: 'PASSWORD_CHANGE', label: 'Password changed', about: 'The user has another password' },
      { type: 'AUTHENTICATOR_ADD', label: 'Authenticator app added', about: 'Signing in takes a code from now on' },
      { type: 'AUTHENTICATOR_UPDATE', label: 'Backup codes created', about: 'The former backup codes no longer work' },
      {
        type: 'AUTHENTICATOR_REMOVE',
        label: 'Authenticator app removed',
        about: 'Signing in takes no code from now on',
      },
      { type: 'PASSKEY_ADD', label: 'Passkey added', about: 'The user can sign in with another passkey' },
      { type: 'PASSKEY_UPDATE', label: 'Passkey renamed', about: 'A passkey has another name' },
      { type: 'PASSKEY_REMOVE', label: 'Passkey removed', about: 'A passkey no longer works' },
      { type: 'USER_ADD', label: 'User added', about: 'An operator added the user' },
      { type: 'USER_DISABLE', label: 'User disabled', about: 'An operator disabled the user' },
      { type: 'USER_ENABLE', label: 'User enabled', about: 'An operator enabled the user' },
      { type: 'ACCESS_KEY_CREATE', label: 'Access key made', about: 'Programs may sign with a new key' },
      {
        type: 'ACCESS_KEY_UPDATE',
        label: 'Access key changed',
        about: 'Its name changed, or it was switched on or off',
      },
      { type: 'ACCESS_KEY_DELETE', label: 'Access key deleted', about: 'A key has stopped working for good' },
      {
        type: 'REGISTRATION_CODE_CREATE',
        label: 'Registration code made',
        about: 'Devices may register with a new code',
      },
      { type: 'REGISTRATION_CODE_DELETE', label: 'Registration code deleted', about: 'A code has stopped working' },
    ],
  },
  {
    group: 'Webhooks',
    types: [
      { type: 'WEBHOOK_CREATE', label: 'Webhook made', about: 'Another receiver is told of events' },
      { type: 'WEBHOOK_UPDATE', label: 'Webhook changed', about: 'Its settings or its secret changed' },
      {
        type: 'WEBHOOK_PAUSE',
        label: 'Webhook paused',
        about: 'Its receiver failed for days, so deliveries are held back',
      },
      { type: 'WEBHOOK_DELETE', label: 'Webhook deleted', about: 'A receiver is told of nothing more' },
    ],
  },
]

export const eventTypes: readonly EventTypeText[] = eventTypeGroups.flatMap(({ types }) => types)

const labels = new Map<string, string>(eventTypes.map(({ type, label }) => [type, label]))

/** What people call it; a type that this console does not know yet, as the API has it. */
export const eventLabel = (type: string): string => labels.get(type) ?? type

export const isEventType = (value: unknown): value is EventType => typeof value === 'string' && labels.has(value)

/** For choosing among them, in groups. */
export const eventTypeChoices = eventTypeGroups.map(({ group, types }) => ({
  group,
  items: types.map(({ type, label }) => ({ value: type, label })),
}))
