import {
  checkFilter,
  completionsAt,
  type Expectation,
  type FilterKind,
  needsAttributesPrefix,
  printName,
  quote,
  splitAttributeName,
  toCodePoints,
  toIndex,
  writeNameArgument,
  writeValue,
} from '@muster/filter'
import type { Context } from '../../context.ts'
import type { AccountSize } from '../../graphql/cost/scanned-row-estimate.ts'
import { ROWS_PER_POINT } from '../../rate-limits/point-prices.ts'
import type { FilterCompletion } from '../../resolvers.generated.ts'
import { insideOf, namesOf } from '../../restriction.ts'
import { isReadableName } from '../attributes/attribute-access.ts'
import type { NameCount } from '../attributes/names/attribute-names.queries.ts'
import { listCountedNames } from '../attributes/names/list-attribute-names.ts'
import { eventTypes } from '../events/event-types.ts'
import { filterKinds } from '../views/view.ts'
import { listViews } from '../views/views.ts'
import { SAMPLE, selectFrequentContexts, selectFrequentValues } from './sampled-values.queries.ts'
import { writeCountedValue } from './sql/value-source.ts'

/** The number of rows charged for a completion of values or contexts if the caller can reach all devices. */
const SAMPLED_ROWS = SAMPLE - ROWS_PER_POINT

export const rowsOfSample = ({ devices, restriction }: AccountSize): number =>
  restriction?.devices === undefined ? SAMPLED_ROWS : Math.max(SAMPLED_ROWS, devices)

interface Completing {
  where: string
  /** The number of code points before the cursor. */
  cursor: number
  kind: FilterKind
  inContext: string | undefined
}

interface Placed extends Completing {
  /** Whether the cursor is after `<`, `<=`, `>`, or `>=`. */
  isOrdered: boolean
}

export async function complete(context: Context, completing: Completing): Promise<FilterCompletion[]> {
  const { where, cursor, kind } = completing
  const { from, to, expected, items } = completionsAt(where, toIndex(where, cursor), kind)
  const span = { from: toCodePoints(where, from), to: toCodePoints(where, to) }
  const placed = { ...completing, isOrdered: /[<>]=?\s*$/.test(where.slice(0, from)) }
  const found = await Promise.all(expected.map((each) => completionsFor(context, each, placed)))
  return [...items.map((item) => ({ ...item, count: null })), ...found.flat()].map((item) => ({
    label: null,
    ...item,
    ...span,
  }))
}

type Found = Pick<FilterCompletion, 'kind' | 'text' | 'label'> & { count: number | null }

async function completionsFor(context: Context, expected: Expectation, completing: Placed): Promise<Found[]> {
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
  // The list of contexts could reveal overrides of names that the caller cannot read.
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
  const writeName = (name: string): string => {
    const qualifier = needsAttributesPrefix(of, name) ? 'attributes.' : ''
    return isArgument ? writeNameArgument(qualifier + name) : lead + qualifier + printName(splitAttributeName(name))
  }
  return names
    .filter((name) => countOf(name) > 0 && name.name.toLowerCase().startsWith(start) && !name.name.startsWith('$'))
    .sort((one, other) => countOf(other) - countOf(one))
    .slice(0, MAX_NAMES)
    .map((name) => ({ kind: 'name', text: writeName(name.name), count: countOf(name) }))
}

async function valuesFor(
  { db, viewer, rowMeter }: Context,
  { subject, prefix }: Extract<Expectation, { type: 'value' }>,
  { kind, inContext, isOrdered }: Placed,
): Promise<Found[]> {
  const { filter } = checkFilter(`${subject}:*`, { kind })
  const condition = filter?.type === 'services' ? filter.condition : filter
  if (condition?.type !== 'present' || kind === 'event') return []
  const { subject: found } = condition
  if (found.type === 'attribute' && !isReadableName(viewer, found.name.join('.'))) return []
  if (found.type === 'field' && !['string', 'number'].includes(found.valueType)) return []
  rowMeter.add(rowsOfSample)
  const isNumber = found.type === 'field' && found.valueType === 'number'
  const format = (value: string): string => {
    if (isNumber) return value
    // An order operator takes no pattern, and compares only the part of a value that the sample contains.
    return isOrdered ? writeValue([value]) : writeCountedValue(value)
  }
  const values = await selectFrequentValues(db, viewer.accountId, {
    subject: found,
    context: inContext,
    inside: insideOf(viewer),
  })
  const start = prefix.toLowerCase()
  return values
    .filter(({ value }) => value.toLowerCase().startsWith(start))
    .map(({ value, count }) => ({ kind: 'value', text: format(value), count }))
}
