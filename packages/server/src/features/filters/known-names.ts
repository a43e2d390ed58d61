import type { AttributeName, KnownNames } from '@muster/filter'
import type { Context } from '../../context.ts'
import { assertReadableText } from '../attributes/attribute-access.ts'
import { isCountOverdue, listEveryAttributeName } from '../attributes/names/list-attribute-names.ts'
import { selectIsGroupOnly, selectKnownNames, selectNamesOfVersions } from './known-names.queries.ts'
import { check, filterError, type ReadFilter } from './read-filter.ts'

/**
 * Throws BAD_USER_INPUT if the account has never used a name in the filter, unless the name has the prefix
 * `attributes.`. Also throws BAD_USER_INPUT if the filter compares versions as numbers. For exceptions, see
 * `findUnknown` and `findVersions`. Throws FORBIDDEN if the caller cannot read one of the names.
 */
export async function assertKnownNames(context: Context, filter: ReadFilter): Promise<void> {
  for (const name of filter.names) assertReadableText(context.viewer, name)
  const { text, place } = filter
  const unseen = await findUnseen(context, [...filter.names])
  const versions = await findVersions(context, [...filter.fractions])
  if (unseen.size === 0 && versions.size === 0) return
  const hasVersions = (name: string): boolean => versions.has(name)
  const isValid = (has: KnownNames['has']): boolean =>
    check(text, place, { knownAttributes: { has, keys: () => [] }, hasVersions }).isValid
  // An unknown name is an error only if it appears in the filter without the prefix `attributes.`.
  if (isValid((name) => !unseen.has(name))) return
  const unknown = await withoutUncounted(context, unseen)
  const has = (name: string): boolean => !unknown.has(name)
  if (isValid(has)) return
  const knownAttributes = await readKnownNames(context, has)
  const checked = check(text, place, { knownAttributes, hasVersions })
  if (!checked.isValid) throw filterError(place, checked.problems)
}

/**
 * Returns the names in use that the caller can read, including names that the table `attribute_name` does not contain
 * yet. `has` also returns true if `wasSeen` does, for example for a name in the table that is no longer in use.
 */
export async function readKnownNames(context: Context, wasSeen: (name: string) => boolean): Promise<KnownNames> {
  const used = await listEveryAttributeName(context)
  const names = new Set(used.map(({ name }) => name))
  return {
    has: (name) => names.has(name) || wasSeen(name),
    keys: (owner) =>
      owner === undefined ? names : used.filter((each) => each[`${owner}s`] > 0).map(({ name }) => name),
  }
}

/** Checks whether the account has used the name only as a group of other names. */
export const isGroupOnly = async ({ db, viewer }: Context, name: AttributeName): Promise<boolean> =>
  name.length === 1 && (await selectIsGroupOnly(db, viewer.accountId, name[0]))

/**
 * Returns the given names that the table `attribute_name` does not contain. Some of these names may be in use, but not
 * counted yet. Returns no names if `isCountOverdue` returns true.
 */
export const findUnknown = async (context: Context, names: readonly string[]): Promise<ReadonlySet<string>> =>
  withoutUncounted(context, await findUnseen(context, names))

async function findUnseen({ db, viewer }: Context, names: readonly string[]): Promise<ReadonlySet<string>> {
  if (names.length === 0) return new Set()
  const seen = new Set(await selectKnownNames(db, viewer.accountId, names))
  return new Set(names.filter((name) => !seen.has(name)))
}

const withoutUncounted = async (context: Context, unseen: ReadonlySet<string>): Promise<ReadonlySet<string>> =>
  unseen.size > 0 && (await isCountOverdue(context)) ? new Set() : unseen

async function findVersions({ db, viewer }: Context, names: readonly string[]): Promise<Set<string>> {
  // The values of devices outside a restriction must not affect how the restricted caller's filter is read.
  const isUnknown = names.length === 0 || viewer.restriction !== undefined
  return new Set(isUnknown ? [] : await selectNamesOfVersions(db, viewer.accountId, names))
}
