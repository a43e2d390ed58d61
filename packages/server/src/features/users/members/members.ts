import type { Context } from '../../../context.ts'
import type { Database } from '../../../db/database.ts'
import { ApiError, assertBelowLimit, notFound } from '../../../errors.ts'
import { assertStorable } from '../../../lib/string-checks.ts'
import { limits } from '../../../limits.ts'
import type { Viewer } from '../../../viewer.ts'
import { disableKeysOf, endPersonalKeys, reloadAccessKeys } from '../../access-keys/access-keys.ts'
import type { Target } from '../../events/event-types.ts'
import { recordEvents } from '../../events/record.ts'
import { assertNoPreviousRelease } from '../../presence/previous-release.ts'
import { lockAccount } from '../accounts.queries.ts'
import { insertMembership } from '../people/people.ts'
import type { Role } from '../roles/role.ts'
import { assertGrantable, getRole } from '../roles/roles.ts'
import type { Member } from './member.ts'
import { countMembers, countOwnersWhoCanSignIn, deleteMembership, selectMembers, writeRole } from './members.queries.ts'

export const listMembers = ({ db, viewer }: Pick<Context, 'db' | 'viewer'>): Promise<Member[]> =>
  selectMembers(db, viewer.accountId)

export const personTarget = ({ personId, email }: Pick<Member, 'personId' | 'email'>): Target => ({
  id: personId,
  name: email,
  kind: 'person',
})

export async function findMember(db: Database, accountId: string, personId: string): Promise<Member | undefined> {
  const [member] = await selectMembers(db, accountId, personId)
  return member
}

/**
 * Adds a member. Throws CONFLICT if the person is already a member, and LIMIT_EXCEEDED if the account cannot have more
 * members. The caller must have locked the account.
 */
export async function addMember(
  transaction: Database,
  accountId: string,
  {
    personId,
    role,
    source = 'invitation',
  }: { personId: string; role: Role; source?: 'invitation' | 'group' | 'operator' },
): Promise<void> {
  if ((await findMember(transaction, accountId, personId)) !== undefined)
    throw new ApiError('CONFLICT', 'the person is already a member of this account')
  const found = await countMembers(transaction, accountId)
  assertBelowLimit('members', { limit: limits.members, found }, 'a member must be removed first')
  await insertMembership(transaction, { accountId, personId, roleId: role.id, source })
}

/** Changes a member's role. The new permissions apply to the member's sessions starting with their next request. */
export async function setMemberRole(
  { db, viewer }: Context,
  { personId, roleId }: { personId: string; roleId: string },
): Promise<Member> {
  assertStorable(personId, 'personId')
  assertStorable(roleId, 'roleId')
  return db.transaction().execute(async (transaction) => {
    const { accountId } = viewer
    const before = await lockMember(transaction, accountId, personId)
    const role = await getRole(transaction, accountId, roleId)
    assertGrantable(viewer, role)
    assertMayChange(viewer, before)
    if (before.roleId === roleId) return before
    // Servers of the previous release treat the founder as the owner.
    if (personId === accountId && roleId !== 'owner')
      await assertNoPreviousRelease(transaction, 'giving the founder of the account another role')
    await changeRole({ db: transaction, viewer }, before, role)
    return { ...before, roleId }
  })
}

async function changeRole({ db, viewer }: Pick<Context, 'db' | 'viewer'>, before: Member, role: Role): Promise<void> {
  const { accountId } = viewer
  const oldRole = await getRole(db, accountId, before.roleId)
  await writeRole(db, accountId, { personId: before.personId, roleId: role.id })
  await reloadAccessKeys(db, accountId)
  if (before.roleId === 'owner') await assertOwnerRemains(db, accountId)
  const data = { email: before.email, source: before.source, role: { old: oldRole.name, new: role.name } }
  await recordEvents(db, { viewer }, [{ type: 'MEMBER_UPDATE', targets: [personTarget(before)], data }])
}

/**
 * Ends the membership and deletes the person's personal keys in the account. With `disableKeys`, also disables the
 * account keys that the person created. The person's sessions lose access to the account with their next request.
 */
export async function removeMember(
  { db, viewer }: Context,
  { personId, disableKeys }: { personId: string; disableKeys: boolean },
): Promise<void> {
  assertStorable(personId, 'personId')
  await db.transaction().execute(async (transaction) => {
    const member = await lockMember(transaction, viewer.accountId, personId)
    assertMayChange(viewer, member)
    await endMembership({ db: transaction, viewer }, member, { disableKeys })
  })
}

export async function leaveAccount({ db, viewer }: Context): Promise<void> {
  const { accountId, personId, session } = viewer
  if (session === undefined || personId === undefined)
    throw new ApiError('FORBIDDEN', 'only a signed-in person can leave an account: an access key cannot')
  await db.transaction().execute(async (transaction) => {
    const member = await lockMember(transaction, accountId, personId)
    await endMembership({ db: transaction, viewer }, member, { disableKeys: false, self: true })
  })
}

async function endMembership(
  { db, viewer }: Pick<Context, 'db' | 'viewer'>,
  member: Member,
  { disableKeys, self }: { disableKeys: boolean; self?: true },
): Promise<void> {
  const { personId, email, source, roleId } = member
  const role = await getRole(db, viewer.accountId, roleId)
  await deleteMembership(db, viewer.accountId, personId)
  if (roleId === 'owner') await assertOwnerRemains(db, viewer.accountId)
  const ended = await endPersonalKeys({ db, viewer }, personId)
  const disabled = disableKeys ? await disableKeysOf({ db, viewer }, personId) : []
  const data = { email, role: role.name, source, keys: disabled.length, ...(self && { self }) }
  const leaving = { type: 'MEMBER_LEAVE' as const, targets: [personTarget(member)], data }
  await recordEvents(db, { viewer }, [...ended, ...disabled, leaving])
}

/**
 * Adds a membership with the role, or changes the role of the existing membership. Without a role, ends the membership.
 * Memberships that do not result from groups stay unchanged. The caller must have locked the account. Throws
 * LIMIT_EXCEEDED if the account cannot have more members, and CONFLICT if no owner who can sign in would be left.
 */
export async function changeGroupMembership(
  transaction: Database,
  accountId: string,
  { person, role }: { person: { personId: string; email: string }; role: Role | undefined },
): Promise<void> {
  const { personId, email } = person
  const viewer: Viewer = { accountId, email, readOnly: false, isServer: true }
  const before = await findMember(transaction, accountId, personId)
  if (before === undefined) {
    if (role === undefined) return
    await addMember(transaction, accountId, { personId, role, source: 'group' })
    const data = { email, role: role.name, source: 'group' }
    await recordEvents(transaction, { viewer }, [{ type: 'MEMBER_JOIN', targets: [personTarget(person)], data }])
    return
  }
  if (before.source !== 'group' || before.roleId === role?.id) return
  if (role === undefined) return endMembership({ db: transaction, viewer }, before, { disableKeys: false })
  await changeRole({ db: transaction, viewer }, before, role)
}

/**
 * Ends a person's membership. `email` identifies the person in the event. Throws NOT_FOUND if the person is not a
 * member, and CONFLICT if no owner who can sign in would be left.
 */
export async function endMembershipOf(
  { db, viewer }: Pick<Context, 'db' | 'viewer'>,
  { personId, email }: { personId: string; email: string },
): Promise<void> {
  const member = await lockMember(db, viewer.accountId, personId)
  await endMembership({ db, viewer }, { ...member, email }, { disableKeys: false })
}

async function lockMember(transaction: Database, accountId: string, personId: string): Promise<Member> {
  await lockAccount(transaction, accountId)
  const member = await findMember(transaction, accountId, personId)
  if (member === undefined) throw notFound('member', personId)
  return member
}

function assertMayChange({ isOwner }: Context['viewer'], { roleId }: Member): void {
  if (roleId === 'owner' && isOwner !== true)
    throw new ApiError('FORBIDDEN', 'only owners can change or remove owners', { reason: 'exceeds-own-access' })
}

/** Throws CONFLICT if a change has left no owner who can sign in. The caller must have locked the account. */
async function assertOwnerRemains(transaction: Database, accountId: string): Promise<void> {
  if ((await countOwnersWhoCanSignIn(transaction, accountId)) > 0) return
  const message = 'the account would have no owner who can sign in: make another member an owner first'
  throw new ApiError('CONFLICT', message, { reason: 'last-owner' })
}
