import type { PermissionName } from '../../../permissions.ts'
import type { AttributeScope } from '../../../restriction.ts'
import type { View } from '../../views/view.ts'

export interface Member {
  personId: string
  email: string
  name: string | null
  roleId: string
  source: string
  created: Date
  lastUsed: Date | null
  /** The number of account keys that the person created. */
  accountKeys: number
}

/** The parent of the fields of `Me`. It is empty, because the resolvers read the caller from the context. */
export type Me = Record<string, never>

export interface Grant {
  permissions: PermissionName[]
  where: string | null
  view: View | null
  context: string | null
  attributes: AttributeScope | null
}
