export interface InvitationSummary {
  account: { email: string; name: string | null }
  /** The invited address, if any. */
  email: string | null
  role: string
  expires: Date
}

/** The invitation functions that the calls need. A feature provides them. */
export interface Invitations {
  /** Returns the invitation that the page shows. Throws NOT_FOUND if no open invitation has the token. */
  describe(token: string): Promise<InvitationSummary>
  /**
   * Creates a person, who becomes a member. Returns the person's address. Throws CONFLICT if another person has the
   * address.
   */
  join(joining: JoiningPerson): Promise<{ email: string }>
}

export interface JoiningPerson {
  token: string
  /** The person's email address. Required only if the invitation names no address. */
  email: string | null
  name: string | null
  passwordHash: string
}
