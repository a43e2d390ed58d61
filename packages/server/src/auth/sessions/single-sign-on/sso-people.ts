import type { Identity } from './identity.ts'
import type { AttemptKey } from './sso-attempts.queries.ts'

export interface AdmittedPerson {
  personId: string
  email: string
}

/** An attempt of a signed-in person to link an identity. */
export type LinkAttempt = AttemptKey & { personId: string }

/**
 * `admit` throws an ApiError with a reason, such as `sso-disabled`, if the person may not sign in. `link` throws such
 * an error if the person may not link the identity.
 */
export interface SsoPeople {
  /** Finds or creates the person, sets the memberships that the groups determine, and tries to accept an invitation. */
  admit(identity: Identity, invitationHash: Buffer | null): Promise<AdmittedPerson>
  link(identity: Identity, attempt: LinkAttempt): Promise<void>
  /** Finds the person that a failed attempt targets, so that the server can record the attempt for that person. */
  findTarget(identity: Identity): Promise<{ id: string; email: string } | undefined>
}
