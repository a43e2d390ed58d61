import { canonicalize } from '@muster/filter'
import type { Context } from '../../../context.ts'
import { perRequest } from '../../../graphql/per-request.ts'
import { type BuiltInRole, builtInRoles, includes, namesIn } from '../../../permissions.ts'
import { insideOf } from '../../../restriction.ts'
import { type RequiredSignIn, requiredSignIn, toPolicy } from '../../../sign-in-policy.ts'
import type { AccessKey } from '../../access-keys/access-key.ts'
import { findAccessKey } from '../../access-keys/access-keys.ts'
import { commonScope } from '../../restrictions/name-patterns.ts'
import { loadView } from '../../views/load-view.ts'
import { type KnownPerson, loadPerson } from '../people/people.ts'
import { builtInRole, type Role, toRole } from '../roles/role.ts'
import type { Grant } from './member.ts'
import { selectMemberships } from './memberships.queries.ts'

export const MAX_MEMBERSHIPS = 100

export interface Membership {
  account: { id: string; email: string; name: string | null }
  role: Role
  requiredSignIn: RequiredSignIn | null
}

export const listMemberships = perRequest(async (context: Context): Promise<Membership[]> => {
  const { db, viewer } = context
  const { accountId, personId = accountId } = viewer
  const rows = await selectMemberships(db, personId, {
    accountId: viewer.session === undefined ? accountId : null,
    limit: MAX_MEMBERSHIPS,
  })
  return rows.map(({ id, email, name, role, signInPolicy }) => ({
    account: { id, email, name },
    role: role === null ? roleOfKey(viewer.permissions) : toRole(role),
    requiredSignIn:
      viewer.session === undefined ? null : requiredSignIn(toPolicy(signInPolicy), viewer.signInMethod ?? null),
  }))
})

/**
 * Returns the first built-in role that has all of a key's permissions. The API shows this role if the key's creator is
 * not a member.
 */
function roleOfKey(permissions = 0): Role {
  const roles = Object.entries(builtInRoles) as [BuiltInRole, number][]
  return builtInRole(roles.find(([, mask]) => includes(mask, permissions))![0])
}

/** Describes the permissions and the restriction of the request. Combines several restrictions into one. */
export async function describeGrant(context: Context): Promise<Grant> {
  const { viewer } = context
  const permissions = namesIn(viewer.permissions ?? 0)
  const [part = {}, ...others] = viewer.restriction ?? []
  const attributes = commonScope(viewer.restriction?.flatMap((each) => each.attributes ?? []) ?? [])
  const inside = insideOf(viewer)
  if (others.length > 0 && inside !== undefined)
    return { permissions, where: canonicalize(inside, 'device'), view: null, context: null, attributes }
  const view = part.view === undefined ? null : await loadView(context, part.view)
  return { permissions, where: part.where ?? null, view, context: part.context ?? null, attributes }
}

export async function findOwnPerson(context: Context): Promise<KnownPerson | null> {
  const { accountId, personId = accountId } = context.viewer
  const person = await loadPerson(context, personId)
  return person?.isRemoved ? null : person
}

export async function findOwnKey({ db, viewer }: Context): Promise<AccessKey | null> {
  const { accessKey } = viewer
  return accessKey === undefined ? null : ((await findAccessKey({ db, viewer }, accessKey)) ?? null)
}
