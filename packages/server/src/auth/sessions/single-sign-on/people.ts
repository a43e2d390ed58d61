import type { Identity } from './identity.ts'

/** The person that an identity belongs to. */
export interface AdmittedPerson {
  personId: string
  email: string
}

/** Decides who an identity is. A feature provides it. Every function throws the reason if the person may not sign in. */
export interface SsoPeople {
  /** Finds or creates the person, and sets the memberships that follow from the groups. */
  admit(identity: Identity, invitationHash: Buffer | null): Promise<AdmittedPerson>
  /** Links the identity to a person who is signed in. */
  link(identity: Identity, personId: string): Promise<void>
  /** Finds the person at whom an attempt is aimed, for the record of a failure. */
  findTarget(identity: Identity): Promise<{ id: string; email: string } | undefined>
}
