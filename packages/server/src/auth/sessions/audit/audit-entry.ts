/** The names are values of the API's EventType. */
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

export interface AuditEntry {
  type: AuditType
  personId: string
  email: string
  /** ID of the session that made the change. Omitted if no session made the change. */
  session?: string
  /** Must not contain secrets. */
  data: Record<string, unknown>
}
