import { canonicalize, type FilterUsage } from '@muster/filter'
import type { Context } from '../../context.ts'
import { badInput, limitExceeded } from '../../errors.ts'
import { maskOf, namesIn, neverRestricted, type PermissionName } from '../../permissions.ts'
import type { AccessInput } from '../../resolvers.generated.ts'
import {
  type Access,
  type AttributeScope,
  insideOf,
  namesOf,
  type RestrictionPart,
  restrictionOf,
} from '../../restriction.ts'
import type { Viewer } from '../../viewer.ts'
import { parseAttributeName, parseContext } from '../attributes/attribute-name.ts'
import { assertKnownNames } from '../filters/known-names.ts'
import { assertCanonicalLength, check, filterError, type ReadFilter, readFilter } from '../filters/read-filter.ts'
import { applyView, readStoredFilter } from '../views/apply-view.ts'
import { commonScope, includesPattern } from './name-patterns.ts'

type Usage = Extract<FilterUsage, 'role' | 'accessKey'>

/**
 * Validates the arguments, and returns them as a restriction. Throws BAD_USER_INPUT if, for example, the filter or the
 * view contains a term that `usage` does not allow.
 */
export async function readOwnRestriction(
  context: Context,
  { where, view, context: contextName, attributes }: Omit<AccessInput, 'permissions'>,
  usage: Usage,
): Promise<RestrictionPart> {
  const inContext = parseContext(contextName, 'access.context')
  const names = attributes == null ? {} : readNames(attributes)
  if (where == null && view == null) {
    if (inContext !== undefined) throw badInput('access.context requires access.where or access.view')
    return names
  }
  const own = where == null ? undefined : await readWhere(context, where, usage)
  const selection = await applyView(context, { where: own, viewId: view, inContext }, { kind: 'device' })
  if (selection.where !== undefined) assertAllowed(selection.where, usage)
  return {
    ...(own !== undefined && { where: own.canonical }),
    ...(view != null && { view }),
    ...(inContext !== undefined && { context: inContext }),
    ...names,
  }
}

const MAX_PATTERNS = 50

/** Returns an empty object if all names can be written, and therefore also read. */
function readNames({ read = ['*'], write = ['*'] }: Partial<AttributeScope>): Pick<RestrictionPart, 'attributes'> {
  for (const [list, patterns] of Object.entries({ read, write })) {
    const path = `access.attributes.${list}`
    if (patterns.length > MAX_PATTERNS)
      throw limitExceeded(`${path} may have at most ${MAX_PATTERNS} names, found ${patterns.length}`)
    for (const [index, pattern] of patterns.entries()) assertPattern(pattern, `${path}[${index}]`)
  }
  return write.includes('*') ? {} : { attributes: { read: [...new Set(read)], write: [...new Set(write)] } }
}

function assertPattern(pattern: string, path: string): void {
  const star = pattern.indexOf('*')
  if (star !== -1 && star < pattern.length - 1) throw badInput(`${path} can contain * only at its end, as in status.*`)
  // With a letter in place of `*`, a pattern such as `status.*` becomes a name that can be parsed.
  parseAttributeName(star === -1 ? pattern : `${pattern.slice(0, star)}x`, path)
}

async function readWhere(context: Context, where: string, usage: Usage): Promise<ReadFilter> {
  const read = readFilter(where, { kind: 'device', usage, path: 'access.where' })
  if (read === undefined) throw badInput('access.where must not be empty: pass null for no filter')
  assertCanonicalLength(read.canonical, 'access.where')
  await assertKnownNames(context, read)
  return read
}

/** `access.where` has already been checked, so rejected terms come from the view. */
function assertAllowed({ filter }: ReadFilter, usage: Usage): void {
  const place = { kind: 'device', usage, path: 'access.view' } as const
  const { problems, isValid } = check(canonicalize(filter, 'device'), place, { maxLength: Number.POSITIVE_INFINITY })
  if (!isValid) throw filterError(place, problems)
}

/**
 * Throws NOT_FOUND if a view that the restriction uses was deleted. Lock the account first, so that no view is deleted
 * before the commit.
 */
export async function assertViews(
  { db, viewer }: Pick<Context, 'db' | 'viewer'>,
  { where, view }: RestrictionPart,
): Promise<void> {
  if (where === undefined && view === undefined) return
  const place = { kind: 'device', path: 'access.where' } as const
  const own = where === undefined ? undefined : readStoredFilter(where, { place, name: 'access.where' })
  const reader = { db, viewer: { accountId: viewer.accountId } }
  await applyView(reader, { where: own, viewId: view, inContext: undefined }, place)
}

/**
 * Adds a filter or limits on attribute names to a key's restriction. A restriction can only become narrower. Throws an
 * error if the combined filter is invalid, or if the limits allow names that the restriction does not allow.
 */
export function narrowed(own: RestrictionPart, added: RestrictionPart): RestrictionPart {
  const { attributes, ...others } = added
  if (attributes !== undefined) return narrowed(withNames(own, attributes), others)
  if (added.where === undefined) return own
  if (own.where === undefined) return { ...own, where: added.where }
  const place = { kind: 'device', usage: 'accessKey', path: 'access.where' } as const
  const where = `(${own.where}) AND (${added.where})`
  const { problems, isValid, canonical } = check(where, place, { maxLength: Number.POSITIVE_INFINITY })
  if (!isValid) throw filterError(place, problems)
  return { ...own, where: canonical! }
}

function withNames(own: RestrictionPart, attributes: AttributeScope): RestrictionPart {
  const { read = ['*'], write = ['*'] } = own.attributes ?? {}
  assertWithin(attributes.write, write, 'write')
  assertWithin(attributes.read, [...read, ...write], 'read')
  return { ...own, attributes }
}

function assertWithin(patterns: readonly string[], before: readonly string[], verb: 'read' | 'write'): void {
  const more = patterns.find((pattern) => !before.some((each) => includesPattern(each, pattern)))
  if (more === undefined) return
  throw badInput(
    `access.attributes.${verb} may contain only names that the key can already ${verb}, not ${JSON.stringify(more)}`,
  )
}

/**
 * Returns the caller's restrictions, which also apply to every role and key that the caller grants. Replaces a view
 * with a copy of its filter.
 */
export function withinOf(viewer: Viewer): RestrictionPart[] {
  const inside = insideOf(viewer)
  const names = namesOf(viewer) ?? []
  return [
    ...(inside === undefined ? [] : [{ where: canonicalize(inside, 'device') }]),
    ...names.map((attributes) => ({ attributes })),
  ]
}

/**
 * Returns the permissions of a new role or key: `named`, or `usual` by default. For a restricted role or key, rejects
 * named permissions that it cannot have, and omits such permissions from the usual ones.
 */
export function grantedPermissions(
  named: readonly PermissionName[] | null | undefined,
  usual: number,
  restriction: Pick<Access, 'own' | 'within'>,
): number {
  if (restrictionOf(restriction) === undefined) return named == null ? usual : maskOf(named)
  if (named == null) return usual & ~neverRestricted
  assertRestrictable(maskOf(named))
  return maskOf(named)
}

export function assertRestrictable(permissions: number): void {
  const wrong = namesIn(permissions & neverRestricted)
  if (wrong.length === 0) return
  const rule = 'a role or key that is restricted to some devices or attributes cannot have'
  throw badInput(`access.permissions: ${rule} ${wrong.join(', ')}`)
}

export function shownRestriction({ own, within }: Pick<Access, 'own' | 'within'>): RestrictionPart {
  if (within.length === 0) return own
  const parts = [own, ...within].flatMap(({ where }) => where ?? [])
  const attributes = commonScope([own, ...within].flatMap((part) => part.attributes ?? []))
  return {
    ...own,
    ...(parts.length > 0 && { where: parts.length === 1 ? parts[0]! : joined(parts) }),
    ...(attributes !== null && { attributes }),
  }
}

function joined(parts: readonly string[]): string {
  const place = { kind: 'device', path: 'where' } as const
  const text = parts.map((part) => `(${part})`).join(' AND ')
  return readStoredFilter(text, { place, name: 'the filter of the role or key' })?.text ?? text
}
