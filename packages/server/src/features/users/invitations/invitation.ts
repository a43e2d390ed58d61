import type { EventSource } from '../../events/event-types.ts'

/** An invitation that no one has accepted. */
export interface Invitation {
  id: string
  /** Null for an invitation that is not addressed to anyone. */
  email: string | null
  roleId: string
  /** When its link was created. */
  created: Date
  expires: Date
  /** The person who invited, or created the key that did. */
  inviterId: string | null
  source: EventSource
  emailStatus: string
}

/** An invitation as the API shows it. Only creating and resending return the link. */
export interface ShownInvitation extends Invitation {
  link: string | null
}
