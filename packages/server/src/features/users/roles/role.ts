import type { BuiltInRole } from '../../../permissions.ts'
import { accessOfRole, type Restriction, type RestrictionPart, type StoredAccess } from '../../../restriction.ts'
import type { Target } from '../../events/event-types.ts'

export interface Role {
  /** A built-in role's name, or a custom role's ID. */
  id: string
  name: string
  permissions: number
  own: RestrictionPart
  /** The restrictions that applied to the caller who created the role, at the time of creation. */
  within: Restriction
  /** The single sign-on groups whose members get this role. */
  groups: string[]
}

/** A row of the table `role`: a custom role, or the groups of a built-in role. */
export interface StoredRole extends StoredAccess {
  id: string
  name: string | null
  groups: string[]
}

export const toRole = ({ id, name, permissions, restriction, groups }: StoredRole): Role => ({
  id,
  name: name ?? id,
  ...accessOfRole(id, { permissions, restriction }),
  groups,
})

export const builtInRole = (id: BuiltInRole): Role =>
  toRole({ id, name: null, permissions: null, restriction: null, groups: [] })

export const roleTarget = ({ id, name }: Role): Target => ({ id, name, kind: 'role' })
