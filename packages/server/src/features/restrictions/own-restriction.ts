import { canonicalize, type FilterUsage } from '@muster/filter'
import { maskOf, namesIn, type PermissionName } from '../../access.ts'
import type { Context } from '../../context.ts'
import { badInput } from '../../errors.ts'
import { type Access, insideOf, neverRestricted, type RestrictionPart, restrictionOf } from '../../restriction.ts'
import type { Viewer } from '../../viewer.ts'
import { parseContext } from '../attributes/attribute-name.ts'
import { assertKnownNames } from '../filters/account-names.ts'
import { check, filterError, type ReadFilter, readFilter } from '../filters/read-filter.ts'
import { applyView, readStoredFilter } from '../views/use-view.ts'

export interface AccessArguments {
  permissions?: readonly PermissionName[] | null
  where?: string | null
  view?: string | null
  context?: string | null
}

type Usage = Extract<FilterUsage, 'role' | 'accessKey'>

/** Reads the restriction that a caller gives to a role or key. Its filter and view must be valid for this usage. */
export async function readOwnRestriction(
  context: Context,
  { where, view, context: contextName }: AccessArguments,
  usage: Usage,
): Promise<RestrictionPart> {
  const inContext = parseContext(contextName, 'access.context')
  if (where == null && view == null) {
    if (inContext !== undefined) throw badInput('access.context is only used with access.where or access.view')
    return {}
  }
  const own = where == null ? undefined : await readWhere(context, where, usage)
  const selection = await applyView(context, { where: own, viewId: view, inContext }, { kind: 'device' })
  if (selection.where !== undefined) assertAllowed(selection.where, usage)
  return {
    ...(own !== undefined && { where: own.canonical }),
    ...(view != null && { view }),
    ...(inContext !== undefined && { context: inContext }),
  }
}

async function readWhere(context: Context, where: string, usage: Usage): Promise<ReadFilter> {
  const read = readFilter(where, { kind: 'device', usage, path: 'access.where' })
  if (read === undefined) throw badInput('access.where must not be empty: omit it to allow all devices')
  await assertKnownNames(context, read)
  return read
}

/** Rejects terms that only the view contains. */
function assertAllowed({ filter }: ReadFilter, usage: Usage): void {
  const place = { kind: 'device', usage, path: 'access.view' } as const
  const { problems, isValid } = check(canonicalize(filter, 'device'), place, { maxLength: Number.POSITIVE_INFINITY })
  if (!isValid) throw filterError(place, problems)
}

/**
 * Throws NOT_FOUND if a view was deleted. Call this with the account locked. The views then cannot be deleted until the
 * transaction ends.
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

/** Adds a filter to the restriction of a key, which can only become narrower. */
export function narrowed(own: RestrictionPart, added: RestrictionPart): RestrictionPart {
  if (added.where === undefined) return own
  if (own.where === undefined) return { ...own, where: added.where }
  const place = { kind: 'device', usage: 'accessKey', path: 'access.where' } as const
  const where = `(${own.where}) AND (${added.where})`
  const { problems, isValid, canonical } = check(where, place, { maxLength: Number.POSITIVE_INFINITY })
  if (!isValid) throw filterError(place, problems)
  return { ...own, where: canonical! }
}

/**
 * Returns the restrictions that the caller passes on to every role and key that the caller grants. A view is replaced
 * by a copy of its filter.
 */
export function withinOf(viewer: Viewer): RestrictionPart[] {
  const inside = insideOf(viewer)
  return inside === undefined ? [] : [{ where: canonicalize(inside, 'device') }]
}

/**
 * Returns the permissions of a new role or key. A restricted one must not name permissions that it cannot have. If it
 * names none, these permissions are omitted.
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

/** Throws BAD_USER_INPUT for permissions that a restricted role or key cannot have. */
export function assertRestrictable(permissions: number): void {
  const wrong = namesIn(permissions & neverRestricted)
  if (wrong.length === 0) return
  const rule = 'a role or key that is restricted to some devices cannot have'
  throw badInput(`access.permissions: ${rule} ${wrong.join(', ')}`)
}

/** Returns the filter of all restrictions of a role, key, or request, as the API shows it. */
export function shownRestriction({ own, within }: Pick<Access, 'own' | 'within'>): RestrictionPart {
  if (within.length === 0) return own
  const parts = [own, ...within].flatMap(({ where }) => where ?? [])
  return { ...own, where: parts.length === 1 ? parts[0]! : joined(parts) }
}

function joined(parts: readonly string[]): string {
  const place = { kind: 'device', path: 'where' } as const
  const text = parts.map((part) => `(${part})`).join(' AND ')
  return readStoredFilter(text, { place, name: 'the filter of the role or key' })?.text ?? text
}
