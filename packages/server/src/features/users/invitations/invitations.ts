import { randomBytes } from 'node:crypto'
import { hashToken, newToken } from '../../../auth/sessions/tokens.ts'
import type { Context } from '../../../context.ts'
import type { Database } from '../../../db/database.ts'
import { ApiError, assertBelowLimit, notFound } from '../../../errors.ts'
import { assertStorable } from '../../../lib/string-checks.ts'
import { limits } from '../../../limits.ts'
import type { AccountReference, MutationCreateInvitationArgs } from '../../../resolvers.generated.ts'
import type { Viewer } from '../../../viewer.ts'
import { actorOf, sourceOf } from '../../events/event-source.ts'
import type { EventTypeName } from '../../events/event-types.ts'
import { type NewEvent, recordEvents } from '../../events/record.ts'
import { createOnceInTransaction } from '../../idempotency/record-created.ts'
import { findAccount, lockAccount } from '../accounts.queries.ts'
import { addMember, findMember, personTarget } from '../members/members.ts'
import { findPerson, isDisabled } from '../people/people.ts'
import type { Role } from '../roles/role.ts'
import { assertGrantable, canGrant, getRole } from '../roles/roles.ts'
import { assertEmail } from '../users.ts'
import { DAY_MS, type Invitation, readExpires, type ShownInvitation, unknownInvitation } from './invitation.ts'
import { emailInvitation, isSentByEmail } from './invitation-email.ts'
import {
  countInvitations,
  deleteInvitationsBefore,
  existsForEmail,
  findByToken,
  insertInvitation,
  lockInvitation,
  removeInvitation,
  renewInvitation,
  selectInvitations,
} from './invitations.queries.ts'

/** The number of days that an expired invitation stays in the list. */
const EXPIRED_DAYS = 7

export const MAX_LISTED = limits.invitations * 2

export async function listInvitations({ db, viewer, clock }: Context): Promise<ShownInvitation[]> {
  const after = new Date(clock().getTime() - EXPIRED_DAYS * DAY_MS)
  const found = await selectInvitations(db, viewer.accountId, { after, limit: MAX_LISTED })
  return found.map((invitation) => ({ ...invitation, link: null }))
}

export const dropExpiredInvitations = (db: Database, now: Date): Promise<void> =>
  deleteInvitationsBefore(db, new Date(now.getTime() - EXPIRED_DAYS * DAY_MS))

/** Creates an invitation that anyone with the link can accept. The server stores only a hash of the link's token. */
export async function createInvitation(
  context: Context,
  { email = null, expires, roleId }: MutationCreateInvitationArgs,
): Promise<ShownInvitation> {
  const { viewer, clock, origin } = context
  if (email !== null) assertEmail(email, 'email')
  assertStorable(roleId, 'roleId')
  const now = clock()
  const token = newToken()
  const invitation: Invitation = {
    id: `in_${randomBytes(12).toString('hex')}`,
    email,
    roleId,
    created: now,
    expires: readExpires(expires, now),
    inviterId: actorOf(viewer),
    source: sourceOf(viewer),
    emailStatus: isSentByEmail(context, email) ? 'pending' : 'none',
  }
  const create = async (transaction: Database): Promise<ShownInvitation> => {
    await lockAccount(transaction, viewer.accountId)
    const role = await getRole(transaction, viewer.accountId, roleId)
    assertGrantable(viewer, role)
    await assertCanBeAccepted(transaction, viewer.accountId, { invitation, role })
    await assertFewInvitations(transaction, viewer.accountId, now)
    await insertInvitation(transaction, viewer.accountId, { ...invitation, tokenHash: hashToken(token) })
    await recordEvents(transaction, { viewer }, [createdEvent(invitation, role)])
    return { ...invitation, link: linkOf(origin, token) }
  }
  const created = await createOnceInTransaction(context, create, ({ id, link }) => ({
    kind: 'invitation',
    id,
    secret: link,
  }))
  await emailInvitation(context, created)
  return created
}

/**
 * Creates a new link and makes the previous link invalid. The new link has the same lifetime as the previous link,
 * counted from now. Emails the new link under the same conditions as `emailInvitation`.
 */
export async function resendInvitation(context: Context, id: string): Promise<ShownInvitation> {
  const { db, viewer, clock, origin } = context
  assertStorable(id, 'id')
  const token = newToken()
  const resent = await db.transaction().execute(async (transaction) => {
    await lockAccount(transaction, viewer.accountId)
    const before = await lockInvitation(transaction, viewer.accountId, id)
    if (before === undefined) throw notFound('invitation', id)
    const role = await getRole(transaction, viewer.accountId, before.roleId)
    assertGrantable(viewer, role)
    const now = clock()
    if (before.expires <= now) await assertFewInvitations(transaction, viewer.accountId, now)
    const lifetimeMs = before.expires.getTime() - before.created.getTime()
    const after: Invitation = {
      ...before,
      created: now,
      expires: new Date(now.getTime() + lifetimeMs),
      inviterId: actorOf(viewer),
      source: sourceOf(viewer),
      emailStatus: isSentByEmail(context, before.email) ? 'pending' : 'none',
    }
    await assertCanBeAccepted(transaction, viewer.accountId, { invitation: after, role })
    await renewInvitation(transaction, viewer.accountId, { ...after, tokenHash: hashToken(token) })
    await recordEvents(transaction, { viewer }, [createdEvent(after, role)])
    return { ...after, link: linkOf(origin, token) }
  })
  await emailInvitation(context, resent)
  return resent
}

export async function deleteInvitation({ db, viewer }: Context, id: string): Promise<void> {
  assertStorable(id, 'id')
  await db.transaction().execute(async (transaction) => {
    await lockAccount(transaction, viewer.accountId)
    const invitation = await lockInvitation(transaction, viewer.accountId, id)
    if (invitation === undefined) throw notFound('invitation', id)
    await removeInvitation(transaction, viewer.accountId, id)
    await recordEvents(transaction, { viewer }, [eventOf('INVITATION_DELETE', invitation, { email: invitation.email })])
  })
}

export async function acceptInvitation({ db, viewer, clock }: Context, token: string): Promise<AccountReference> {
  const { personId, session } = viewer
  if (personId === undefined || session === undefined)
    throw new ApiError('FORBIDDEN', 'only a signed-in person can accept an invitation: an access key cannot')
  const now = clock()
  const tokenHash = hashToken(token)
  const found = await openInvitation(db, tokenHash, now)
  return db.transaction().execute(async (transaction) => {
    const person = await findPerson(transaction, personId)
    if (person === undefined) throw unknownInvitation()
    return join(transaction, { ...found, tokenHash, now }, { person: { personId, email: person.email }, viewer })
  })
}

/** Throws NOT_FOUND if no open invitation has the token. */
export async function openInvitation(
  db: Database,
  tokenHash: Buffer,
  now: Date,
): Promise<{ accountId: string; id: string }> {
  const found = await findByToken(db, tokenHash, now)
  if (found === undefined) throw unknownInvitation()
  return found
}

export const isInvitedByEmail = existsForEmail

export interface Joining {
  accountId: string
  id: string
  tokenHash: Buffer
  now: Date
}

/**
 * Makes a person a member and deletes the invitation. Locks the account first. Throws NOT_FOUND if the invitation is no
 * longer open, FORBIDDEN if the inviter can no longer grant the role, and the errors of `addMember`.
 */
export async function join(
  transaction: Database,
  { accountId, id, tokenHash, now }: Joining,
  { person, viewer }: { person: { personId: string; email: string }; viewer: Viewer },
): Promise<AccountReference> {
  await lockAccount(transaction, accountId)
  const current = await findByToken(transaction, tokenHash, now)
  const invitation = current?.id === id ? await lockInvitation(transaction, accountId, id) : undefined
  const account = await findAccount(transaction, accountId)
  if (invitation === undefined || account === undefined) throw unknownInvitation()
  const role = await getRole(transaction, accountId, invitation.roleId)
  if (!(await isStillGrantable(transaction, accountId, { invitation, role }))) {
    const message = 'the person who invited you can no longer give you this role: ask another member for an invitation'
    throw new ApiError('FORBIDDEN', message, { reason: 'exceeds-own-access' })
  }
  const { personId, email } = person
  await addMember(transaction, accountId, { personId, role })
  await removeInvitation(transaction, accountId, id)
  const invitedEmail = invitation.email
  const data = {
    email,
    role: role.name,
    source: 'invitation',
    ...(invitedEmail !== null && invitedEmail.toLowerCase() !== email.toLowerCase() && { invitedEmail }),
  }
  const event: NewEvent = { type: 'MEMBER_JOIN', targets: [personTarget(person)], data }
  await recordEvents(transaction, { viewer: { ...viewer, accountId, email: account.email } }, [event])
  return account
}

interface Granted {
  invitation: Invitation
  role: Role
}

/**
 * Throws FORBIDDEN for an invitation that no person could accept. An account key keeps its permissions when its creator
 * loses permissions or leaves the account. However, the creator counts as the person who invites.
 */
async function assertCanBeAccepted(db: Database, accountId: string, granted: Granted): Promise<void> {
  if (await isStillGrantable(db, accountId, granted)) return
  const message =
    'the invitation could not be accepted, because the person who created the access key cannot give this role: use an access key of another member'
  throw new ApiError('FORBIDDEN', message, { reason: 'exceeds-own-access' })
}

/** Returns whether the inviter can still grant the role. Former members and disabled people cannot grant any role. */
async function isStillGrantable(db: Database, accountId: string, { invitation, role }: Granted): Promise<boolean> {
  const { inviterId } = invitation
  const inviter = inviterId === null ? undefined : await findMember(db, accountId, inviterId)
  if (inviter === undefined) return false
  const granting = await getRole(db, accountId, inviter.roleId)
  return canGrant(granting, role) && !(await isDisabled(db, inviter.personId))
}

async function assertFewInvitations(db: Database, accountId: string, now: Date): Promise<void> {
  const found = await countInvitations(db, accountId, now)
  assertBelowLimit('open invitations', { limit: limits.invitations, found })
}

/** Returns the link, with the token in the fragment. Browsers do not send fragments, so request logs lack the token. */
const linkOf = (origin: string, token: string): string => `${origin}/invitation#${token}`

const eventOf = (type: EventTypeName, { id, email }: Invitation, data: Record<string, unknown>): NewEvent => ({
  type,
  targets: [{ id, name: email ?? id, kind: 'invitation' }],
  data,
})

const createdEvent = (invitation: Invitation, role: Role): NewEvent =>
  eventOf('INVITATION_CREATE', invitation, { email: invitation.email, role: role.name, expires: invitation.expires })
