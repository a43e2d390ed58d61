import type { AccessInput, Permission } from '../../graphql/schema-types.generated.ts'
import type { SelectionValues } from '../filters/device-selection.tsx'
import { describeUnrestrictable } from './permissions.ts'

/** A name can end with the wildcard `*`, as in `status.*`. */
export interface AttributeNames {
  read: string[]
  write: string[]
}

export interface RestrictionValues extends SelectionValues {
  /** Null means all attributes. */
  attributes: AttributeNames | null
}

interface GivenAccess {
  where: string | null
  view?: { id: string } | null
  context: string | null
  attributes: { read: readonly string[]; write: readonly string[] } | null
}

export const unrestricted: RestrictionValues = { where: null, view: null, context: null, attributes: null }

export const restrictionOf = ({ where, view, context, attributes }: GivenAccess): RestrictionValues => ({
  where,
  view: view?.id ?? null,
  context,
  attributes: attributes && { read: [...attributes.read], write: [...attributes.write] },
})

export function accessInput(permissions: readonly Permission[], restriction: RestrictionValues): AccessInput {
  const isRestrictable = describeUnrestrictable(permissions) === undefined
  const { where, view, context, attributes } = isRestrictable ? restriction : unrestricted
  const maySet = permissions.includes('ATTRIBUTE_WRITE')
  return {
    permissions: [...permissions],
    where,
    view,
    context,
    attributes: attributes && { read: attributes.read, write: maySet ? attributes.write : [] },
  }
}
