import { type FilterKind, type FilterUsage, type KnownNames, toCodePoints } from '@muster/filter'
import type { Context } from '../../context.ts'
import { badInput } from '../../errors.ts'
import { type AccountSize, MANY_ROWS } from '../../graphql/cost/scanned-row-estimate.ts'
import type { FilterCheck, UserCheckFilterArgs } from '../../resolvers.generated.ts'
import { isReadableName } from '../attributes/attribute-access.ts'
import { parseContext } from '../attributes/attribute-name.ts'
import { countDevices } from '../devices/list/device-list.queries.ts'
import { ASSUMED_EVENTS } from '../events/event-row-cost.ts'
import { filterKinds } from '../views/view.ts'
import { listViews } from '../views/views.ts'
import { complete, rowsOfSample } from './completions.ts'
import { selectNamesOfVersions } from './known-names.queries.ts'
import { findUnknown, readKnownNames } from './known-names.ts'
import { check, type FilterPlace, namesIn, toFilterProblem } from './read-filter.ts'

const usages = {
  LIST: 'list',
  VIEW: 'view',
  BULK: 'bulk',
  ROLE: 'role',
  ACCESS_KEY: 'accessKey',
} as const satisfies Record<string, FilterUsage>

/**
 * Returns the number of rows to charge before the field `checkFilter` runs. For a caller who is restricted to some
 * devices, the field may also read every device to find the attribute names.
 */
export const rowsOfCheck = ({ cursor }: { cursor?: unknown }, size: AccountSize): number =>
  (size.restriction?.devices === undefined ? 0 : size.devices) + (cursor == null ? 0 : rowsOfSample(size))

export async function checkFilter(context: Context, args: UserCheckFilterArgs): Promise<FilterCheck> {
  const { where, cursor } = args
  const kind = filterKinds[args.kind ?? 'DEVICES']
  const usage = usages[args.usage ?? 'LIST']
  if (kind !== 'device' && usage !== 'list' && usage !== 'view')
    throw badInput(`usage: a filter for ${args.usage} selects devices, so kind must be DEVICES, not ${args.kind}`)
  const inContext = parseContext(args.context, 'context')
  const place = { kind, usage, path: 'where', hasContext: inContext !== undefined }
  const length = toCodePoints(where, where.length)
  if (cursor != null && (cursor < 0 || cursor > length))
    throw badInput(`cursor must be from 0 to ${length}, the length of the filter in code points, not ${cursor}`)
  const known = await readNames(context, where, place)
  const fractions = new Set<string>()
  const hasVersions = (name: string): boolean => fractions.add(name).size === 0
  const views = new Set<string>()
  const wrongView = (id: string): undefined => void views.add(id)
  const { isIndexed, ...first } = check(where, place, { knownAttributes: known, hasVersions, wrongView })
  const versions = new Set(
    fractions.size === 0 || context.viewer.restriction !== undefined
      ? []
      : await selectNamesOfVersions(context.db, context.viewer.accountId, [...fractions]),
  )
  const wrongViews = await findWrongViews(context, [...views], kind)
  const checked =
    versions.size === 0 && wrongViews.size === 0
      ? first
      : check(where, place, {
          knownAttributes: known,
          hasVersions: (name) => versions.has(name),
          wrongView: (id) => wrongViews.get(id),
        })
  const at = (index: number): number => toCodePoints(where, index)
  return {
    canonical: checked.canonical,
    problems: checked.problems.map(toFilterProblem),
    warnings: checked.warnings.map(toFilterProblem),
    terms: checked.terms.map((term) => ({ ...term, from: at(term.from), to: at(term.to) })),
    points: 1 + (await pointsOfRows(context, { kind, isIndexed, canonical: checked.canonical })),
    completions: cursor == null ? [] : await complete(context, { where, cursor, kind, inContext }),
  }
}

/**
 * Returns the filter's names if the account has used all of them and the caller can read them. Otherwise, returns all
 * known names that the caller can read, so that problems can suggest a name.
 */
async function readNames(context: Context, where: string, place: FilterPlace): Promise<KnownNames> {
  const names = namesIn(where, place)
  const unknown = await findUnknown(context, [...names])
  const readable = [...names].every((name) => isReadableName(context.viewer, name))
  if (unknown.size === 0 && readable) return names
  return readKnownNames(
    context,
    (name) => names.has(name) && !unknown.has(name) && isReadableName(context.viewer, name),
  )
}

/** Returns the given views that do not exist for the caller or list objects of another kind, each with the problem. */
async function findWrongViews(
  context: Context,
  ids: readonly string[],
  kind: FilterKind,
): Promise<Map<string, string>> {
  const found = new Map(ids.length === 0 ? [] : (await listViews(context, { id: ids })).map((view) => [view.id, view]))
  const wrong = new Map<string, string>()
  for (const id of ids) {
    const view = found.get(id)
    if (view === undefined) wrong.set(id, `There is no view ${JSON.stringify(id.slice(0, 60))}.`)
    else if (filterKinds[view.kind] !== kind)
      wrong.set(
        id,
        `The view ${JSON.stringify(view.name)} lists ${view.kind.toLowerCase()}. Use a view that lists ${kind}s.`,
      )
  }
  return wrong
}

interface Priced {
  kind: FilterKind
  isIndexed: boolean
  canonical: string | null
}

/**
 * Returns the rate-limit cost of the rows that the server may read for a list with the filter. Without an index, the
 * server may read every device of the account. For events, assumes a number of rows, because no index finds events by
 * the conditions of a filter. An empty or invalid filter costs 0.
 */
async function pointsOfRows({ db, viewer }: Context, { kind, isIndexed, canonical }: Priced): Promise<number> {
  if (canonical === null || canonical === '') return 0
  if (kind === 'event') return Math.ceil(ASSUMED_EVENTS / MANY_ROWS)
  return isIndexed ? 0 : Math.ceil((await countDevices(db, viewer.accountId, {})) / MANY_ROWS)
}
