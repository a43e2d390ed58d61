/** The sign-in events other than `AUTH_LOGIN`. The names are values of the API's EventType. */
export type AuditType =
  | 'AUTH_FAIL'
  | 'PASSWORD_CHANGE'
  | 'AUTHENTICATOR_ADD'
  | 'AUTHENTICATOR_UPDATE'
  | 'AUTHENTICATOR_REMOVE'
  | 'PASSKEY_ADD'
  | 'PASSKEY_UPDATE'
  | 'PASSKEY_REMOVE'
  | 'SESSION_REVOKE'

/** A failed sign-in, a change to how a user signs in, or the end of sessions. */
export interface AuditEntry {
  type: AuditType
  personId: string
  /** The person's email address. */
  email: string
  /** The session that made the change. Omitted for failed sign-ins, and if the identity provider ended the sessions. */
  session?: string
  /** The event's data. It must not contain secrets. */
  data: Record<string, unknown>
}
