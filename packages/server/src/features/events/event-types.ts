/** The values of EventType in the API. */
export const eventTypes = [
  'DEVICE_STATE',
  'SERVICE_STATE',
  'DEVICE_REGISTER',
  'DEVICE_UPDATE',
  'DEVICE_DELETE',
  'DEVICE_TRANSFER',
  'DEVICE_SECRET_ROTATE',
  'SERVICE_ADD',
  'SERVICE_UPDATE',
  'SERVICE_REMOVE',
  'ATTRIBUTE_CHANGE',
  'ACCESS_KEY_CREATE',
  'ACCESS_KEY_UPDATE',
  'ACCESS_KEY_DELETE',
  'REGISTRATION_CODE_CREATE',
  'REGISTRATION_CODE_DELETE',
  'WEBHOOK_CREATE',
  'WEBHOOK_UPDATE',
  'WEBHOOK_DELETE',
  'WEBHOOK_PAUSE',
  'VIEW_CREATE',
  'VIEW_UPDATE',
  'VIEW_DELETE',
  'ACCOUNT_UPDATE',
  'MEMBER_JOIN',
  'MEMBER_UPDATE',
  'MEMBER_LEAVE',
  'INVITATION_CREATE',
  'INVITATION_DELETE',
  'ROLE_CREATE',
  'ROLE_UPDATE',
  'ROLE_DELETE',
  'BULK_START',
  'BULK_FINISH',
  'BULK_UNDO',
  'FRESHNESS_UPDATE',
  'KEY_POLICY_UPDATE',
  'DOWNLOAD_LINK_CREATE',
  'AUTH_LOGIN',
  'AUTH_FAIL',
  'PASSWORD_CHANGE',
  'AUTHENTICATOR_ADD',
  'AUTHENTICATOR_UPDATE',
  'AUTHENTICATOR_REMOVE',
  'PASSKEY_ADD',
  'PASSKEY_UPDATE',
  'PASSKEY_REMOVE',
  'SESSION_REVOKE',
  'USER_ADD',
  'USER_DISABLE',
  'USER_ENABLE',
  'USER_REMOVE',
  'BACKUP_CREATE',
  'BACKUP_RESTORE',
  'MASTER_KEY_ROTATE',
] as const

export type EventTypeName = (typeof eventTypes)[number]

const targetKinds = [
  ...(['user', 'device', 'service', 'accessKey', 'registrationCode', 'webhook', 'view'] as const),
  ...(['person', 'role', 'invitation', 'bulkJob'] as const),
] as const

/** `name` is the target's name at the time of the event. */
export interface Target {
  id: string
  name: string
  kind: (typeof targetKinds)[number]
}

/** If the kind is `device`, the source is the event's device. */
export type EventSource =
  | { kind: 'accessKey'; id: string; name: string | null }
  /** `key` is the ID of the access key that started the job. Omitted if a session started it. */
  | { kind: 'job'; id: string; name: string; key?: string }
  | { kind: 'console' }
  | { kind: 'device' }
  | { kind: 'server' }
