import { ApiError, badInput } from '../../../errors.ts'
import type { EventSource } from '../../events/event-types.ts'

export const DAY_MS = 86_400_000
const USUAL_DAYS = 7
const MAX_DAYS = 30

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

export function readExpires(expires: Date | null | undefined, now: Date): Date {
  if (expires == null) return new Date(now.getTime() + USUAL_DAYS * DAY_MS)
  if (expires <= now) throw badInput(`expires must be in the future, not ${expires.toISOString()}`)
  const latest = new Date(now.getTime() + MAX_DAYS * DAY_MS)
  if (expires > latest)
    throw badInput(
      `expires must be ${latest.toISOString()} (in ${MAX_DAYS} days) or earlier, not ${expires.toISOString()}`,
    )
  return expires
}

export const unknownInvitation = (): ApiError =>
  new ApiError(
    'NOT_FOUND',
    'this invitation does not exist, or was used, deleted, or replaced, or has expired: ask for another link',
  )
