import type { NewPasskey } from '../passkeys.queries.ts'

export interface InvitationSummary {
  account: { email: string; name: string | null }
  /** The invited email address, if any. */
  email: string | null
  role: string
  expires: Date
}

export interface Invitations {
  /** Throws NOT_FOUND if no open invitation has the token. */
  describe(token: string): Promise<InvitationSummary>
  /**
   * Returns the email address of the person who would join: the invited address or, without one, the given address.
   * Throws these errors:
   *
   * - NOT_FOUND if no open invitation has the token
   * - BAD_USER_INPUT if no address is known or the address is invalid
   * - LIMIT_EXCEEDED if the address is too long
   * - CONFLICT if another person has the address
   */
  newAddress(joining: Pick<JoiningPerson, 'token' | 'email'>): Promise<string>
  /**
   * Throws the errors of `newAddress` and these errors:
   *
   * - CONFLICT if the passkey is already registered
   * - FORBIDDEN if the inviter can no longer grant the role
   * - LIMIT_EXCEEDED if the account cannot have more members
   */
  join(joining: JoiningPerson): Promise<{ personId: string; email: string }>
}

export interface JoiningPerson {
  token: string
  /** Required only if the invitation names no email address. */
  email: string | null
  name: string | null
  credential: { passwordHash: string } | { passkey: NewPasskey }
}
