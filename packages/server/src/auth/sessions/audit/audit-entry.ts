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
  /**
   * The session that made the change. Omitted for failed attempts, for passwords set with a link, and for sessions that
   * the identity provider ended.
   */
  session?: string
  /** Must not contain secrets. */
  data: Record<string, unknown>
}
