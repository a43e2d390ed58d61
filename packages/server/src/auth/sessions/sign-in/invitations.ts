/** An invitation as its page shows it. */
export interface InvitationSummary {
  account: { email: string; name: string | null }
  /** The invited address, if any. */
  email: string | null
  role: string
  expires: Date
}

/** What the calls need of invitations. A feature provides it. */
export interface Invitations {
  /** Throws NOT_FOUND for a token without an open invitation. */
  describe(token: string): Promise<InvitationSummary>
  /** Creates a person, who becomes a member. Returns the person's address. Throws CONFLICT if another person has the address. */
  join(joining: JoiningPerson): Promise<{ email: string }>
}

export interface JoiningPerson {
  token: string
  /** Needed only if the invitation is not addressed to anyone. */
  email: string | null
  name: string | null
  passwordHash: string
}
