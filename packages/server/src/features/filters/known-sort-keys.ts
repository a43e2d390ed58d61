import {
  type AttributeName,
  type FilterKind,
  fieldType,
  isReservedShortName,
  needsAttributesPrefix,
} from '@muster/filter'
import { closestName } from '@muster/filter/closest-name'
import type { Context } from '../../context.ts'
import { type ApiError, badInput } from '../../errors.ts'
import { assertReadableText } from '../attributes/attribute-access.ts'
import { isCategoryOrStatus, isReserved, joinAttributeName, RESERVED_GROUP } from '../attributes/attribute-name.ts'
import { findUnknown, readKnownNames } from './known-names.ts'

interface SortKeys {
  kind: FilterKind
  /** The parsed names in the order of `sortBy`. */
  names: readonly (string | AttributeName)[]
  fields: readonly string[]
}

/**
 * Rejects names that are neither in `fields` nor attributes that the account has used. Accepts every attribute name
 * with the prefix `attributes.` and, for devices, the names of all category and status attributes.
 */
export async function assertKnownSortKeys(
  context: Context,
  sortBy: readonly string[],
  { kind, names, fields }: SortKeys,
): Promise<void> {
  for (const [index, text] of sortBy.entries()) {
    const name = names[index]!
    const isExplicit = /^[-+]?attributes\./.test(text)
    if (typeof name !== 'string' && !isExplicit)
      await assertKnownSortKey(context, name, { kind, fields, path: `sortBy[${index}]` })
  }
}

async function assertKnownSortKey(
  context: Context,
  name: AttributeName,
  { kind, fields, path }: { kind: FilterKind; fields: readonly string[]; path: string },
): Promise<void> {
  const full = joinAttributeName(name)
  const notSortKey = (hint = ''): ApiError =>
    badInput(`${path}: ${full} is not a sort key.${hint} Sort by ${fields.join(', ')}, or an attribute.`)
  if (kind === 'device' && isCategoryOrStatus(name)) return
  if (isReserved(name) || fieldType(kind, full) !== undefined) throw notSortKey()
  assertReadableText(context.viewer, full)
  if ((await findUnknown(context, [full])).size === 0) return
  const names = await readKnownNames(context, () => false)
  const known = [...names.keys()]
  if (known.some((each) => each === full || each.startsWith(`${full}.`))) return
  if (kind === 'device' && isReservedShortName(full)) throw notSortKey(` Did you mean ${RESERVED_GROUP}.${full}?`)
  if (needsAttributesPrefix('device', full) || needsAttributesPrefix('service', full)) throw notSortKey()
  // Suggest only names by which the list can sort. Attributes with other names need the prefix `attributes.`.
  const owned = [...names.keys(kind === 'service' ? 'service' : 'device')]
  const sortable = owned.filter((each) => !each.startsWith('$') && fieldType(kind, each) === undefined)
  const closest = closestName(full, [...fields, ...sortable])
  const hint =
    closest === undefined
      ? 'To use a name that is not in use yet, add the prefix "attributes." to it.'
      : `Did you mean ${JSON.stringify(closest)}?`
  throw badInput(`${path}: Unknown attribute ${JSON.stringify(full)}. ${hint}`)
}
