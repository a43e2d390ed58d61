import {
  type CompletionItem,
  checkFilter as checkText,
  completionsAt,
  type Expectation,
  type FilterKind,
  type FilterUsage,
  type KnownNames,
  printName,
  quote,
  splitAttributeName,
  toCodePoints,
  toIndex,
  writeNameArgument,
  writeValue,
} from '@muster/filter'
import type { Context } from '../../context.ts'
import { badInput } from '../../errors.ts'
import { type AccountSize, MANY_ROWS } from '../../graphql/cost/row-estimate.ts'
import { ROWS_PER_POINT } from '../../rate-limits/point-prices.ts'
import type { FilterCheck, FilterCompletion, UserCheckFilterArgs } from '../../resolvers.generated.ts'
import { insideOf, namesOf } from '../../restriction.ts'
import { parseContext } from '../attributes/attribute-name.ts'
import type { NameCount } from '../attributes/names/attribute-names.queries.ts'
import { listCountedNames } from '../attributes/names/attribute-names.ts'
import { isReadableName } from '../attributes/readable-names.ts'
import { countDevices } from '../devices/list/device-list.queries.ts'
import { eventTypes } from '../events/event-types.ts'
import { filterKinds } from '../views/view.ts'
import { listViews } from '../views/views.ts'
import { selectNamesOfVersions } from './account-names.queries.ts'
import { findUnknown, readKnownNames } from './account-names.ts'
import { check, type FilterPlace, namesIn, toFilterProblem } from './read-filter.ts'
import { SAMPLE, selectFrequentContexts, selectFrequentValues } from './sampled-values.queries.ts'

const kinds = { DEVICES: 'device', SERVICES: 'service', EVENTS: 'event' } as const satisfies Record<string, FilterKind>

const usages = {
  LIST: 'list',
  VIEW: 'view',
  BULK: 'bulk',
  ROLE: 'role',
  ACCESS_KEY: 'accessKey',
} as const satisfies Record<string, FilterUsage>

/** The number of rows that a completion of values or contexts is charged for, if the caller can reach all devices. */
const SAMPLED_ROWS = SAMPLE - ROWS_PER_POINT

const rowsOfSample = ({ devices, restriction }: AccountSize): number =>
  restriction?.devices === undefined ? SAMPLED_ROWS : Math.max(SAMPLED_ROWS, devices)

/**
 * Returns the number of rows that the field is charged for before it runs. For a caller who is restricted to some
 * devices, the field may also read every device to find the attribute names.
 */
export const rowsOfCheck = ({ cursor }: { cursor?: unknown }, size: AccountSize): number =>
  (size.restriction?.devices === undefined ? 0 : size.devices) + (cursor == null ? 0 : rowsOfSample(size))

export async function checkFilter(context: Context, args: UserCheckFilterArgs): Promise<FilterCheck> {
  const { where, cursor } = args
  const kind = kinds[args.kind ?? 'DEVICES']
  const usage = usages[args.usage ?? 'LIST']
  if (kind !== 'device' && usage !== 'list' && usage !== 'view')
    throw badInput(`usage: a filter for ${args.usage} selects devices, so kind must be DEVICES, not ${args.kind}`)
  const place = { kind, usage, path: 'where' }
  const inContext = parseContext(args.context, 'context')
  if (cursor != null && (cursor < 0 || cursor > toCodePoints(where, where.length)))
    throw badInput(`cursor must be a number of code points from 0 to the length of where, not ${cursor}`)
  const known = await readNames(context, where, place)
  const fractions = new Set<string>()
  const hasVersions = (name: string): boolean => fractions.add(name).size === 0
  const { isIndexed, ...first } = check(where, place, { knownAttributes: known, hasVersions })
  const versions = new Set(
    fractions.size === 0 || context.viewer.restriction !== undefined
      ? []
      : await selectNamesOfVersions(context.db, context.viewer.accountId, [...fractions]),
  )
  const checked =
    versions.size === 0
      ? first
      : check(where, place, { knownAttributes: known, hasVersions: (name) => versions.has(name) })
  const at = (index: number): number => toCodePoints(where, index)
  return {
    canonical: checked.canonical,
    problems: checked.problems.map(toFilterProblem),
    warnings: checked.warnings.map(toFilterProblem),
    terms: checked.terms.map((term) => ({ ...term, from: at(term.from), to: at(term.to) })),
    points: 1 + (isIndexed || checked.canonical === null ? 0 : await pointsOfAll(context)),
    completions: cursor == null ? [] : await complete(context, { where, cursor, kind, inContext }),
  }
}

/**
 * Returns the filter's names if the account has used all of them and the viewer can read them. Otherwise, returns all
 * known names that the viewer can read, so that problems can suggest a name.
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

/**
 * Returns the additional rate-limit cost of a filter without an index. A list with such a filter may read every device
 * of the account.
 */
const pointsOfAll = async ({ db, viewer }: Context): Promise<number> =>
  Math.ceil((await countDevices(db, viewer.accountId, {})) / MANY_ROWS)

interface Completing {
  where: string
  cursor: number
  kind: FilterKind
  inContext: string | undefined
}

async function complete(context: Context, completing: Completing): Promise<FilterCompletion[]> {
  const { where, cursor, kind } = completing
  const { from, to, expected, items } = completionsAt(where, toIndex(where, cursor), kind)
  const span = { from: toCodePoints(where, from), to: toCodePoints(where, to) }
  const found = await Promise.all(expected.map((each) => completionsFor(context, each, completing)))
  return [...items.map((item: CompletionItem) => ({ ...item, count: null })), ...found.flat()].map((item) => ({
    label: null,
    ...item,
    ...span,
  }))
}

type Found = Pick<FilterCompletion, 'kind' | 'text' | 'label'> & { count: number | null }

async function completionsFor(context: Context, expected: Expectation, completing: Completing): Promise<Found[]> {
  switch (expected.type) {
    case 'name':
      return namesFor(expected, await listCountedNames(context))
    case 'value':
      return expected.valueType === 'eventType' ? eventTypesFor(expected) : valuesFor(context, expected, completing)
    case 'context':
      return contextsFor(context, expected.prefix)
    case 'view':
      return viewsFor(context, expected, completing)
    default:
      return []
  }
}

async function contextsFor({ db, viewer, rowMeter }: Context, prefix: string): Promise<Found[]> {
  // The list of contexts could reveal overrides of names that the viewer cannot read.
  if (namesOf(viewer) !== undefined) return []
  rowMeter.add(rowsOfSample)
  const contexts = await selectFrequentContexts(db, viewer.accountId, insideOf(viewer))
  return contexts
    .filter(({ value }) => value.toLowerCase().startsWith(prefix.toLowerCase()))
    .map(({ value, count }) => ({ kind: 'value', text: quote([value]), count }))
}

const eventTypesFor = ({ prefix }: Extract<Expectation, { type: 'value' }>): Found[] =>
  eventTypes
    .filter((type) => type.startsWith(prefix.toUpperCase()))
    .map((text) => ({ kind: 'value', text, count: null }))

async function viewsFor(context: Context, { prefix }: { prefix: string }, { kind }: Completing): Promise<Found[]> {
  const start = prefix.toLowerCase()
  const views = (await listViews(context, {})).filter((view) => filterKinds[view.kind] === kind)
  return views
    .filter(({ id, name }) => id.startsWith(start) || name.toLowerCase().startsWith(start))
    .slice(0, MAX_NAMES)
    .map(({ id, name }) => ({ kind: 'view', text: writeNameArgument(id), label: name, count: null }))
}

const MAX_NAMES = 100

function namesFor(
  { of, lead, prefix, isArgument }: Extract<Expectation, { type: 'name' }>,
  names: readonly NameCount[],
): Found[] {
  const countOf = (name: NameCount): number => (of === 'service' ? name.services : name.devices)
  const start = prefix.toLowerCase().replace(/^attributes\./, '')
  const lower = (name: string): string => name.toLowerCase()
  return names
    .filter((name) => countOf(name) > 0 && lower(name.name).startsWith(start) && !name.name.startsWith('$'))
    .sort((one, other) => countOf(other) - countOf(one))
    .slice(0, MAX_NAMES)
    .map((name) => ({
      kind: 'name',
      text: isArgument ? writeNameArgument(name.name) : lead + printName(splitAttributeName(name.name)),
      count: countOf(name),
    }))
}

async function valuesFor(
  { db, viewer, rowMeter }: Context,
  { subject, prefix }: Extract<Expectation, { type: 'value' }>,
  { kind, inContext }: Completing,
): Promise<Found[]> {
  const { filter } = checkText(`${subject}:*`, { kind })
  const condition = filter?.type === 'services' ? filter.condition : filter
  if (condition?.type !== 'present' || kind === 'event') return []
  const { subject: found } = condition
  if (found.type === 'attribute' && !isReadableName(viewer, found.name.join('.'))) return []
  if (found.type === 'field' && !['string', 'number'].includes(found.valueType)) return []
  rowMeter.add(rowsOfSample)
  const isNumber = found.type === 'field' && found.valueType === 'number'
  const values = await selectFrequentValues(db, viewer.accountId, {
    subject: found,
    context: inContext,
    inside: insideOf(viewer),
  })
  const start = prefix.toLowerCase()
  return values
    .filter(({ value }) => value.toLowerCase().startsWith(start))
    .map(({ value, count }) => ({ kind: 'value', text: isNumber ? value : writeValue([value]), count }))
}
