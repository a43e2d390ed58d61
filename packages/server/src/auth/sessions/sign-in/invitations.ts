export interface InvitationSummary {
  account: { email: string; name: string | null }
  /** The invited address, if any. */
  email: string | null
  role: string
  expires: Date
}

export interface Invitations {
  /** Throws NOT_FOUND if no open invitation has the token. */
  describe(token: string): Promise<InvitationSummary>
  /** Returns the person's address. Throws CONFLICT if another person has the address. */
  join(joining: JoiningPerson): Promise<{ email: string }>
}

export interface JoiningPerson {
  token: string
  /** Required only if the invitation names no address. */
  email: string | null
  name: string | null
  passwordHash: string
}
