import { randomBytes } from 'node:crypto'
import type { Context } from '../../../context.ts'
import type { Database } from '../../../db/database.ts'
import { ApiError, assertBelowLimit, badInput, limitExceeded, notFound } from '../../../errors.ts'
import { loaderByArguments } from '../../../graphql/loaders.ts'
import { assertName, assertStorable } from '../../../lib/string-checks.ts'
import { limits } from '../../../limits.ts'
import { type BuiltInRole, builtInRoles, includes, isBuiltIn, maskOf, namesIn } from '../../../permissions.ts'
import type { AccessInput, MutationCreateRoleArgs, MutationUpdateRoleArgs } from '../../../resolvers.generated.ts'
import { isSameRestriction, type RestrictionPart, restrictionOf, storedRestriction } from '../../../restriction.ts'
import type { Viewer } from '../../../viewer.ts'
import { reloadAccessKeys } from '../../access-keys/access-keys.ts'
import type { EventTypeName } from '../../events/event-types.ts'
import { fieldChanges, recordEvents } from '../../events/record.ts'
import { createOnceInTransaction } from '../../idempotency/record-created.ts'
import {
  assertRestrictable,
  assertViews,
  grantedPermissions,
  readOwnRestriction,
  withinOf,
} from '../../restrictions/own-restriction.ts'
import { lockAccount } from '../accounts.queries.ts'
import { builtInRole, type Role, roleTarget, type StoredRole, toRole } from './role.ts'
import { countRoleUses, removeRole, saveRole, selectRoles } from './roles.queries.ts'

type Viewing = Pick<Context, 'db' | 'viewer'>

const GROUP_LENGTH = 200

/**
 * Returns a function that reads once for all fields that are resolved at the same time. A later field of a mutation
 * reads again, because the earlier fields may have changed the value.
 */
function readTogether<Value>(read: (context: Context) => Promise<Value>): (context: Context) => Promise<Value> {
  const load = loaderByArguments(async (context: Context, _arguments: null, keys: readonly string[]) => {
    const value = await read(context)
    return keys.map(() => value)
  })
  return (context) => load(context, null, '')
}

export const listRoles = readTogether(({ db, viewer }) => readRoles(db, viewer.accountId))

export const countUses = readTogether(({ db, viewer, clock }) => countRoleUses(db, viewer.accountId, clock()))

/** Returns the role with this ID. If the role was deleted, returns the built-in role `viewer`. */
export const findRole = async (context: Context, roleId: string): Promise<Role> =>
  (await listRoles(context)).find(({ id }) => id === roleId) ?? builtInRole('viewer')

/** Returns the built-in roles, from the fewest permissions to the most, followed by the custom roles. */
export async function readRoles(db: Database, accountId: string): Promise<Role[]> {
  const byId = new Map((await selectRoles(db, accountId)).map((row) => [row.id, toRole(row)]))
  const builtIn = (Object.keys(builtInRoles) as BuiltInRole[]).map((id) => byId.get(id) ?? builtInRole(id))
  return [...builtIn, ...[...byId.values()].filter(({ id }) => !isBuiltIn(id))]
}

export async function getRole(db: Database, accountId: string, id: string): Promise<Role> {
  const role = (await readRoles(db, accountId)).find((each) => each.id === id)
  if (role === undefined) throw notFound('role', id)
  return role
}

export function assertGrantable({ permissions = 0, isOwner = false }: Viewer, role: Role): void {
  if (role.id === 'owner' && !isOwner) throw exceeds('only owners can grant the role owner')
  const more = namesIn(role.permissions & ~permissions)
  if (more.length > 0) throw exceeds(`you do not have ${more.join(', ')} yourself`)
}

const exceeds = (rule: string): ApiError =>
  new ApiError('FORBIDDEN', `you cannot grant more access than you have: ${rule}`, { reason: 'exceeds-own-access' })

export async function createRole(context: Context, { name, access, groups }: MutationCreateRoleArgs): Promise<Role> {
  const { viewer } = context
  const restriction = { own: await readOwnRestriction(context, access, 'role'), within: withinOf(viewer) }
  const role: Role = {
    id: `ro_${randomBytes(12).toString('hex')}`,
    name: readName(name),
    permissions: grantedPermissions(access.permissions, viewer.permissions ?? 0, restriction),
    ...restriction,
    groups: readGroups(groups ?? []),
  }
  assertGrantable(viewer, role)
  const create = async (transaction: Database): Promise<Role> => {
    const others = await lockRoles(transaction, viewer.accountId)
    await assertViews({ db: transaction, viewer }, role.own)
    const custom = others.filter(({ id }) => !isBuiltIn(id))
    assertBelowLimit('custom roles', { limit: limits.roles, found: custom.length })
    assertFreeName(role, others)
    await saveRole(transaction, viewer.accountId, toStored(role))
    await recordEvent({ db: transaction, viewer }, 'ROLE_CREATE', role, dataOf(role))
    return role
  }
  return createOnceInTransaction(context, create, ({ id }) => ({ kind: 'role', id }))
}

/** Updates a role. The new permissions apply to its members' sessions starting with their next request. */
export async function updateRole(context: Context, args: MutationUpdateRoleArgs): Promise<Role> {
  const { db, viewer } = context
  const { id, name, access, groups } = args
  assertStorable(id, 'id')
  const change = {
    ...(name != null && { name: readName(name) }),
    ...(access?.permissions != null && { permissions: maskOf(access.permissions) }),
    ...(groups != null && { groups: readGroups(groups) }),
  }
  // Check the restriction before the transaction, so that the account is locked only briefly.
  const seen = await getRole(db, viewer.accountId, id)
  const checked = access == null ? seen.own : await changedOwn(context, seen.own, access)
  return db.transaction().execute(async (transaction) => {
    const roles = await lockRoles(transaction, viewer.accountId)
    const before = roles.find((role) => role.id === id)
    if (before === undefined) throw notFound('role', id)
    if (isBuiltIn(id) && (name != null || access != null))
      throw badInput(`only the groups of the built-in role ${id} can be changed: create a custom role instead`)
    const isSeen = isSameRestriction([before.own], [seen.own])
    const own =
      access == null || isSeen ? checked : await changedOwn({ ...context, db: transaction }, before.own, access)
    const after = { ...before, ...change, ...(access != null && { own }) }
    if (restrictionOf(after) !== undefined) assertRestrictable(after.permissions)
    await assertViews({ db: transaction, viewer }, after.own)
    assertGrantable(viewer, after)
    assertFreeName(after, roles)
    const changes = fieldChanges(dataOf(before), dataOf(after))
    if (changes === undefined) return before
    await saveRole(transaction, viewer.accountId, toStored(after))
    await reloadAccessKeys(transaction, viewer.accountId)
    await recordEvent({ db: transaction, viewer }, 'ROLE_UPDATE', after, { changes })
    return after
  })
}

/** Returns the role's own restriction after the change. An omitted part stays unchanged, and null removes a part. */
async function changedOwn(context: Context, own: RestrictionPart, access: AccessInput): Promise<RestrictionPart> {
  const given = [access.where, access.view, access.context, access.attributes]
  if (given.every((each) => each === undefined)) return own
  const { where = own.where, view = own.view, context: inContext = own.context, attributes = own.attributes } = access
  const after = {
    ...(where != null && { where }),
    ...(view != null && { view }),
    ...(inContext != null && { context: inContext }),
    ...(attributes != null && { attributes }),
  }
  return isSameRestriction([after as RestrictionPart], [own]) ? own : readOwnRestriction(context, after, 'role')
}

export async function deleteRole({ db, viewer, clock }: Context, id: string): Promise<void> {
  assertStorable(id, 'id')
  if (isBuiltIn(id)) throw badInput(`the built-in role ${id} cannot be deleted: only custom roles can`)
  await db.transaction().execute(async (transaction) => {
    const role = (await lockRoles(transaction, viewer.accountId)).find((each) => each.id === id)
    if (role === undefined) throw notFound('role', id)
    const uses = (await countRoleUses(transaction, viewer.accountId, clock())).get(id) ?? 0
    if (uses > 0) {
      const rule = 'give its members another role and delete its invitations'
      const found = uses === 1 ? 'one member or open invitation' : `${uses} members or open invitations`
      throw new ApiError('CONFLICT', `the role has ${found}: ${rule} first`)
    }
    await removeRole(transaction, viewer.accountId, id)
    await recordEvent({ db: transaction, viewer }, 'ROLE_DELETE', role, { name: role.name })
  })
}

/** Locks the account, so that no other transaction can change its roles, members, or invitations. Returns the roles. */
async function lockRoles(transaction: Database, accountId: string): Promise<Role[]> {
  await lockAccount(transaction, accountId)
  return readRoles(transaction, accountId)
}

/**
 * Leaves the list of permissions in a restricted role's row empty, because servers of earlier releases may ignore
 * the restriction. The permissions are stored with the restriction instead.
 */
function toStored(role: Role): StoredRole {
  const { id, name, permissions, groups } = role
  if (isBuiltIn(id)) return { id, name: null, permissions: null, restriction: null, groups }
  const restriction = storedRestriction(role)
  return { id, name, permissions: restriction === null ? namesIn(permissions) : [], restriction, groups }
}

/** Returns the role's data for events, with lists and objects as strings. */
const dataOf = ({ name, permissions, own, groups }: Role) => ({
  name,
  permissions: namesIn(permissions).join(', '),
  groups: groups.join(', '),
  where: own.where ?? null,
  view: own.view ?? null,
  context: own.context ?? null,
  attributes: own.attributes === undefined ? null : JSON.stringify(own.attributes),
})

const recordEvent = (
  { db, viewer }: Viewing,
  type: EventTypeName,
  role: Role,
  data: Record<string, unknown>,
): Promise<void> => recordEvents(db, { viewer }, [{ type, targets: [roleTarget(role)], data }])

function assertFreeName({ id, name }: Role, others: readonly Role[]): void {
  const folded = name.toLowerCase()
  if (others.some((other) => other.id !== id && other.name.toLowerCase() === folded))
    throw new ApiError(
      'CONFLICT',
      `another role has the name ${JSON.stringify(name)} (case-insensitive): choose another name`,
    )
}

function readName(name: string): string {
  assertName(name, 'name', limits.roleNameLength)
  return name
}

function readGroups(groups: readonly string[]): string[] {
  if (groups.length > limits.roleGroups)
    throw limitExceeded(`a role can have at most ${limits.roleGroups} groups, found ${groups.length}`, {
      limit: limits.roleGroups,
      found: groups.length,
    })
  for (const [index, group] of groups.entries()) assertName(group, `groups[${index}]`, GROUP_LENGTH)
  return [...new Set(groups)]
}

export const canGrant = (granting: Role, role: Role): boolean =>
  includes(granting.permissions, role.permissions | maskOf(['MEMBER_MANAGE'])) &&
  (role.id !== 'owner' || granting.id === 'owner')
