import type { EventSource } from '../../events/event-types.ts'

export interface Invitation {
  id: string
  /** The invited email address, or null if the invitation was created without an email address. */
  email: string | null
  roleId: string
  /** The time when the current link was created. */
  created: Date
  expires: Date
  /** The ID of the person who sent the invitation, or who created the key that sent it. */
  inviterId: string | null
  source: EventSource
  emailStatus: string
}

/** An invitation with its link. The link is null except in the results of creating and resending the invitation. */
export interface ShownInvitation extends Invitation {
  link: string | null
}
