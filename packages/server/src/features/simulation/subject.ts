import { isIP } from 'node:net'
import { findKeyGrant, type KeyGrant } from '../../auth/key-grant.ts'
import { brokenRules } from '../../auth/key-policy-rules.ts'
import { rejectionOfKey } from '../../auth/rejected-key.ts'
import type { Context } from '../../context.ts'
import { ApiError, badInput, notFound } from '../../errors.ts'
import { plainAddress } from '../../lib/client-address.ts'
import { assertStorable } from '../../lib/string-checks.ts'
import { isPermitted, type PermissionName, usualKeyPermissions } from '../../permissions.ts'
import type { UserSimulateArgs } from '../../resolvers.generated.ts'
import { type Restriction, restrictionOf } from '../../restriction.ts'
import type { AccessKey } from '../access-keys/access-key.ts'
import { findAccessKey } from '../access-keys/access-keys.ts'
import { getKeyPolicy } from '../access-keys/key-policy.ts'
import { grantedPermissions, readOwnRestriction, withinOf } from '../restrictions/own-restriction.ts'
import { findMember } from '../users/members/members.ts'
import { isDisabled } from '../users/people/people.ts'
import type { Role } from '../users/roles/role.ts'
import { getRole } from '../users/roles/roles.ts'
import type { Denial } from './simulation.ts'

export interface Subject {
  readonly permissions: number
  readonly restriction: Restriction | undefined
  readonly readOnly: boolean
  readonly isSession: boolean
  readonly isOwn: boolean
  /** Undefined if the server accepts the credentials. */
  readonly rejection: Denial | undefined
  readonly denialOfMissing: (permission: PermissionName) => Denial
}

/**
 * Reads the key, person, role, or new access to simulate. Throws BAD_USER_INPUT unless exactly one of these is given,
 * and FORBIDDEN if the caller may not simulate the key, person, or role. The check before a document runs has already
 * verified the permission for new access.
 */
export async function readSubject(context: Context, args: UserSimulateArgs): Promise<Subject> {
  const { key, personId, roleId, access } = args
  const given = Object.entries({ key, personId, roleId, access }).flatMap(([name, value]) =>
    value == null ? [] : name,
  )
  if (given.length !== 1) {
    const found = given.length === 0 ? 'none' : given.join(' and ')
    throw badInput(`pass exactly one of key, personId, roleId, and access, found ${found}`)
  }
  const address = readAddress(args.address)
  if (key != null) return subjectOfKey(context, key, address)
  if (personId != null) return subjectOfPerson(context, personId)
  return roleId != null ? subjectOfRole(context, roleId) : subjectOfAccess(context, access!)
}

function readAddress(text: string | null | undefined): string | undefined {
  if (text == null) return undefined
  const address = plainAddress(text)
  if (isIP(address) === 0)
    throw badInput(`address must be an IPv4 or IPv6 address such as 192.0.2.1, found ${JSON.stringify(text)}`)
  return address
}

async function subjectOfKey(context: Context, id: string, address: string | undefined): Promise<Subject> {
  const { db, viewer, clock } = context
  assertStorable(id, 'key')
  const key = await findAccessKey(context, id)
  const isOwn = id === viewer.accessKey || (key?.kind === 'personal' && key.madeBy === (await ownPersonId(context)))
  if (!isOwn) assertMay(viewer, 'KEY_MANAGE')
  const grant = key && (await findKeyGrant(db, id))
  if (key === undefined || grant === undefined) throw notFound('access key', id)
  const role = key.kind === 'personal' ? await roleOf(context, key.madeBy) : undefined
  const rejection = await rejectionOf(context, { key, grant, now: clock(), address })
  return {
    permissions: grant.permissions,
    restriction: grant.restriction,
    readOnly: grant.readOnly,
    isSession: false,
    isOwn,
    rejection,
    denialOfMissing(permission) {
      if (!isPermitted(key.permissions, permission)) return { deniedBy: 'key', reason: `the key lacks ${permission}` }
      return grant.suspended === undefined && role !== undefined ? missingInRole(role, permission) : creatorGone
    },
  }
}

const creatorGone: Denial = {
  deniedBy: 'creator',
  reason: 'the creator of the key is not an enabled member of the account',
}

async function rejectionOf(
  context: Context,
  { key, grant, now, address }: { key: AccessKey; grant: KeyGrant; now: Date; address: string | undefined },
): Promise<Denial | undefined> {
  const rejection = rejectionOfKey(grant, { now, address, staleMs: context.staleMs })
  switch (rejection?.details.reason) {
    case undefined:
      return undefined
    case 'key-policy': {
      const rules = brokenRules(await getKeyPolicy(context), key)
      return { deniedBy: 'policy', reason: `the key breaks the key policy: ${rules.join(', ')}` }
    }
    case 'key-member':
      return creatorGone
    case 'key-stale':
      return { deniedBy: 'creator', reason: 'the creator of the key must use single sign-on again' }
    case 'key-disabled':
      return { deniedBy: 'key', reason: 'the key is disabled' }
    case 'key-expired':
      return { deniedBy: 'key', reason: `the key expired at ${key.expires?.toISOString()}` }
    case 'key-network':
      return { deniedBy: 'key', reason: `the key cannot be used from ${address}` }
    default:
      return { deniedBy: 'key', reason: rejection!.message }
  }
}

async function subjectOfPerson(context: Context, personId: string): Promise<Subject> {
  const { db, viewer } = context
  assertStorable(personId, 'personId')
  const isOwn = personId === (await ownPersonId(context))
  if (!isOwn) assertMay(viewer, 'MEMBER_MANAGE')
  const role = await roleOf(context, personId)
  if (role === undefined) throw notFound('member', personId)
  const rejection: Denial = { deniedBy: 'role', reason: 'the person is disabled' }
  return { ...subjectIn(role, isOwn), rejection: (await isDisabled(db, personId)) ? rejection : undefined }
}

async function subjectOfRole(context: Context, roleId: string): Promise<Subject> {
  const { db, viewer } = context
  assertStorable(roleId, 'roleId')
  const own = await roleOf(context, await ownPersonId(context))
  const isOwn = own?.id === roleId
  if (!isOwn) assertMay(viewer, 'MEMBER_MANAGE')
  return subjectIn(isOwn ? own : await getRole(db, viewer.accountId, roleId), isOwn)
}

const subjectIn = (role: Role, isOwn: boolean): Subject => ({
  permissions: role.permissions,
  restriction: restrictionOf(role),
  readOnly: false,
  isSession: true,
  isOwn,
  rejection: undefined,
  denialOfMissing: (permission) => missingInRole(role, permission),
})

const missingInRole = ({ name }: Role, permission: PermissionName): Denial => ({
  deniedBy: 'role',
  reason: `the role ${name} lacks ${permission}`,
})

async function subjectOfAccess(context: Context, access: NonNullable<UserSimulateArgs['access']>): Promise<Subject> {
  const { viewer } = context
  const restriction = { own: await readOwnRestriction(context, access, 'accessKey'), within: withinOf(viewer) }
  return {
    permissions: grantedPermissions(access.permissions, usualKeyPermissions & (viewer.permissions ?? 0), restriction),
    restriction: restrictionOf(restriction),
    readOnly: false,
    isSession: false,
    isOwn: false,
    rejection: undefined,
    denialOfMissing: (permission) => ({ deniedBy: 'key', reason: `the new key lacks ${permission}` }),
  }
}

async function roleOf({ db, viewer }: Context, personId: string | null | undefined): Promise<Role | undefined> {
  if (personId == null) return undefined
  const member = await findMember(db, viewer.accountId, personId)
  return member && getRole(db, viewer.accountId, member.roleId)
}

/**
 * Returns the ID of the person whose session or personal key sent the request. Returns undefined for a restricted key,
 * because the role of the key's creator may have fewer restrictions.
 */
async function ownPersonId(context: Context): Promise<string | undefined> {
  const { accessKey, session, personId, restriction } = context.viewer
  if (session !== undefined) return personId
  if (accessKey === undefined || restriction !== undefined) return undefined
  const key = await findAccessKey(context, accessKey)
  return key?.kind === 'personal' ? (key.madeBy ?? undefined) : undefined
}

/** If the caller lacks the permission, throws the same FORBIDDEN error as the check before a document runs. */
export function assertMay({ permissions }: Context['viewer'], permission: PermissionName): void {
  if (isPermitted(permissions, permission)) return
  const missing = [{ field: 'User.simulate', permission }]
  const message = `the operation needs permissions that you do not have: ${permission} for User.simulate`
  throw new ApiError('FORBIDDEN', message, { reason: 'permission', missing })
}
