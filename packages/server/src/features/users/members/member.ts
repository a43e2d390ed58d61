import type { PermissionName } from '../../../access.ts'
import type { View } from '../../views/view.ts'

/** A person in an account. */
export interface Member {
  personId: string
  email: string
  name: string | null
  roleId: string
  source: string
  created: Date
  lastUsed: Date | null
  /** Account keys that the person created. */
  accountKeys: number
}

/** The caller, as the parent of the fields of `Me`. */
export type Me = Record<string, never>

/** What a request may do. */
export interface Grant {
  permissions: PermissionName[]
  where: string | null
  view: View | null
  context: string | null
}
