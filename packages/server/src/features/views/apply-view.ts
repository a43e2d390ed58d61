import { canonicalize, filterLimits, isIndexed, parseFilter, type ResolvedFilter, readsOf } from '@muster/filter'
import type { Database } from '../../db/database.ts'
import { ApiError, badInput, limitExceeded, notFound } from '../../errors.ts'
import { namesOf } from '../../restriction.ts'
import type { Viewer } from '../../viewer.ts'
import { readableFilter } from '../attributes/attribute-access.ts'
import { mapConditions } from '../filters/map-conditions.ts'
import { check, type FilterPlace, type ReadFilter, readFilter, toFilterProblem } from '../filters/read-filter.ts'
import { withContext } from '../filters/with-context.ts'
import { filterKinds, type View, type ViewColumn } from './view.ts'
import { selectView } from './views.queries.ts'

export interface ViewReader {
  readonly db: Database
  readonly viewer: Pick<Viewer, 'accountId' | 'restriction' | 'reach'>
}

/** A list's filter, context, order, and columns after a view has been applied. */
export interface Selection {
  where: ReadFilter | undefined
  context: string | undefined
  /** Undefined if the list has no view or the view has no sort keys. */
  sortBy: readonly string[] | undefined
  /** Empty if the list has no view or the view has no columns. */
  columns: readonly ViewColumn[]
}

/**
 * Combines a request's filter with its view's filter. Both filters read attributes in the request's context, or in the
 * view's context if the request has none. Throws these errors:
 *
 * - NOT_FOUND for a view that is missing or that the caller cannot see
 * - BAD_USER_INPUT for a view of another kind
 * - CONFLICT for an invalid view
 * - LIMIT_EXCEEDED if the request's filter exceeds a limit with the filters of views in place of `view()`
 * - FORBIDDEN if the combined filter contains an attribute name that the caller cannot read
 */
export async function applyView(
  context: ViewReader,
  given: Parameters<typeof combineWithView>[1],
  place: Pick<FilterPlace, 'kind'>,
): Promise<Selection> {
  const selection = await combineWithView(context, given, place)
  const { where } = selection
  if (where === undefined || namesOf(context.viewer) === undefined) return selection
  return { ...selection, where: { ...where, filter: readableFilter(context.viewer, where.filter) } }
}

async function combineWithView(
  context: ViewReader,
  {
    where,
    viewId,
    inContext,
  }: { where: ReadFilter | undefined; viewId: string | null | undefined; inContext: string | undefined },
  place: Pick<FilterPlace, 'kind'>,
): Promise<Selection> {
  const own = where && (await replaceViews(context, where))
  if (viewId == null) {
    const where = own && withIndexes(own, { ...place, hasContext: inContext !== undefined })
    return { where, context: inContext, sortBy: undefined, columns: [] }
  }
  const view = await findView(context, viewId, place.kind)
  const usedContext = inContext ?? view.context ?? undefined
  const combined = combine(readView(view), own)
  return {
    where: combined && withIndexes(combined, { ...place, hasContext: usedContext !== undefined }),
    context: usedContext,
    sortBy: view.sortBy.length > 0 ? view.sortBy : undefined,
    columns: view.columns,
  }
}

async function findView({ db, viewer }: ViewReader, id: string, kind: FilterPlace['kind']): Promise<View> {
  // PostgreSQL rejects strings that contain a null character, so no view has such an ID.
  const view = id.includes('\0') ? undefined : await selectView(db, viewer.accountId, id)
  // Restricted callers do not see views that are not shared.
  if (view === undefined || (!view.isShared && viewer.restriction !== undefined)) throw notFound('view', id)
  if (filterKinds[view.kind] !== kind)
    throw badInput(
      `the view ${JSON.stringify(view.name)} lists ${view.kind.toLowerCase()}: use a view that lists ${kind}s`,
    )
  return view
}

function readView({ id, name, kind, where }: View): ReadFilter | undefined {
  if (where === null) return undefined
  const place = { kind: filterKinds[kind], path: `view ${id}` }
  return readStoredFilter(where, { place, name: `the view ${JSON.stringify(name)}` })
}

/**
 * Parses a stored filter without the length limit, because the canonical form can be longer than the filter that the
 * client sent. Returns undefined if the filter is empty. Throws CONFLICT if the filter is invalid.
 */
export function readStoredFilter(
  where: string,
  { place, name }: { place: FilterPlace; name: string },
): ReadFilter | undefined {
  const checked = check(where, place, { maxLength: Number.POSITIVE_INFINITY })
  if (!checked.isValid)
    throw new ApiError('CONFLICT', `${name} is invalid: ${checked.problems[0]!.message}`, {
      filter: checked.problems.map(toFilterProblem),
    })
  if (checked.filter === null) return undefined
  const { filter, isIndexed, terms } = checked
  const unindexed = terms.filter((term) => !term.isIndexed).map(({ from, to }) => where.slice(from, to))
  return { text: where, canonical: where, place, filter, isIndexed, unindexed, names: new Set(), fractions: new Set() }
}

function combine(one: ReadFilter | undefined, other: ReadFilter | undefined): ReadFilter | undefined {
  if (one === undefined || other === undefined) return one ?? other
  const filter: ResolvedFilter = { type: 'and', operands: [one.filter, other.filter] }
  return { ...other, filter, unindexed: [...one.unindexed, ...other.unindexed] }
}

/** Determines again whether an index finds the matches, after views have changed the filter or its context. */
const withIndexes = (read: ReadFilter, place: Pick<FilterPlace, 'kind' | 'hasContext'>): ReadFilter => ({
  ...read,
  isIndexed: isIndexed(read.filter, place),
})

/** Replaces each `view()` in a filter with that view's filter, which reads attributes in the view's context. */
async function replaceViews(context: ViewReader, read: ReadFilter): Promise<ReadFilter> {
  const { kind } = read.place
  const filters = new Map<string, ResolvedFilter>()
  const names: string[] = []
  for (const id of viewsIn(read.filter)) {
    const view = await findView(context, id, kind)
    // The canonical form of a filter cannot contain an empty filter in parentheses.
    const ofView = readView(view) ?? readFilter('id:*', read.place)!
    filters.set(id, withContext(ofView.filter, view.context ?? undefined))
    names.push(JSON.stringify(view.name))
  }
  if (filters.size === 0) return read
  const filter = mapConditions(read.filter, (each) => (each.type === 'view' ? filters.get(each.id)! : each))
  assertWithinLimits(filter, { place: read.place, names })
  return { ...read, filter }
}

/** Checks all limits of a filter except its length. `names` contains the names of the views in the filter. */
function assertWithinLimits(
  filter: ResolvedFilter,
  { place, names }: { place: FilterPlace; names: readonly string[] },
): void {
  const { problems } = parseFilter(canonicalize(filter, place.kind), { maxLength: Number.POSITIVE_INFINITY })
  const exceeded = problems.find(({ limit }) => limit !== undefined)
  if (exceeded === undefined) return
  throw limitExceeded(`${place.path}: ${exceeded.message} The filters of these views count too: ${names.join(', ')}.`, {
    limit: filterLimits[exceeded.limit!],
  })
}

export const viewsIn = (filter: ResolvedFilter): string[] => [...readsOf(filter).views]
