import { reservedNames } from '../names/attribute-name.ts'
import { type FieldType, type FilterKind, fieldType, fieldTypes, functionNames, sourceKinds } from '../names/fields.ts'
import type { Span } from '../positions.ts'
import { isOrder } from '../syntax/comparators.ts'
import { type Place, placeAt, type Spot } from './locate-cursor.ts'

export interface Completions extends Span {
  /** The kinds of completions that are possible, in the order of their `items`. Empty if none is possible. */
  readonly expected: readonly Expectation[]
  /** Completions that need no data from the caller. */
  readonly items: readonly CompletionItem[]
}

/**
 * A kind of completion that is possible at the cursor. The caller finds names, values, contexts, and views in its data.
 *
 * - `name`: a name of a field or attribute of objects of the kind `of`. The name begins with `prefix`. Write `lead`,
 *   such as `services.`, before the name. With `isArgument`, only names of attributes are valid.
 * - `value`: a value of `subject` that begins with `prefix`.
 * - `context` and `view`: an argument that begins with `prefix`. Write the argument in quotes.
 * - `operator` and `keyword`: `items` contains all of them.
 */
export type Expectation =
  | {
      readonly type: 'name'
      readonly of: FilterKind
      readonly lead: string
      readonly prefix: string
      readonly isArgument: boolean
    }
  | {
      readonly type: 'value'
      /** The name or function as written, such as `services.port` or `age(site)`. */
      readonly subject: string
      readonly of: FilterKind
      /**
       * The type of a field, `duration` for `age()`, `time` for `changed()`, or `string` for `services`. Undefined for
       * attributes and other functions.
       */
      readonly valueType: FieldType | 'duration' | undefined
      readonly prefix: string
    }
  | { readonly type: 'context' | 'view'; readonly prefix: string }
  | { readonly type: 'operator'; readonly subject: string }
  | { readonly type: 'keyword' }

export interface CompletionItem {
  readonly kind: 'name' | 'operator' | 'value' | 'function' | 'keyword'
  readonly text: string
}

/**
 * Returns the completions at the cursor. The cursor, `from`, and `to` are string indexes. `toIndex` and `toCodePoints`
 * convert between string indexes and code points. Accepts incomplete filters.
 */
export function completionsAt(text: string, cursor: number, kind: FilterKind = 'device'): Completions {
  const place = placeAt(text, cursor, kind)
  const expected = expectedAt(place).filter((each) => isPossible(each, place))
  const { from, to } = place
  return { from, to, expected, items: expected.flatMap((each) => itemsFor(each, place)) }
}

/** Returns false for operators and keywords if none is valid. The caller may find completions of the other kinds. */
const isPossible = (expected: Expectation, place: Place): boolean =>
  (expected.type !== 'operator' && expected.type !== 'keyword') || itemsFor(expected, place).length > 0

function expectedAt(place: Place): Expectation[] {
  const { prefix, kind, spot } = place
  switch (spot.type) {
    case 'condition':
      return [nameAt(place, spot.name, false), ...(spot.isAfterNot || spot.name.includes('.') ? [] : [keyword])]
    case 'afterName':
      return [...(prefix === '' ? [operatorOf(spot.subject)] : []), ...nextCondition(place)]
    case 'afterCondition':
      return nextCondition(place)
    case 'value': {
      const { of, valueType } = subjectType(spot.subject, kind)
      if (!operatorsOf(spot.subject, kind).includes(spot.comparator)) return []
      // A relative time matches only one millisecond, so filters reject it after = and !=.
      if (valueType === 'time' && !isOrder(spot.comparator)) return []
      return [{ type: 'value', subject: spot.subject, of, valueType, prefix }]
    }
    case 'afterListed':
      return [keyword]
    case 'argument':
      return argumentAt(place, spot)
    case 'none':
      return []
  }
}

const keyword = { type: 'keyword' } as const

/** A new condition needs a space before it. A keyword that the user began to type does not. */
function nextCondition(place: Place): Expectation[] {
  if (!place.isAdjacent) return [keyword, nameAt(place, place.prefix, false)]
  return place.prefix === '' ? [] : [keyword]
}

const operatorOf = (subject: string): Expectation => ({ type: 'operator', subject })

function nameAt({ kind }: Place, name: string, isArgument: boolean): Expectation {
  const { lead, of, rest } = splitLead(name, kind)
  return { type: 'name', of, lead, prefix: rest, isArgument }
}

function argumentAt(place: Place, { callee, position }: Extract<Spot, { type: 'argument' }>): Expectation[] {
  const { prefix } = place
  if (callee === 'view') return position === 0 ? [{ type: 'view', prefix }] : []
  if (callee === 'any') return []
  const isContext = callee === 'in' || callee === 'override'
  if (isContext && position === 0) return [{ type: 'context', prefix }]
  return position === (isContext ? 1 : 0) ? [nameAt(place, prefix, true)] : []
}

/** Splits the prefixes `services.` and `device.` from a name. */
function splitLead(name: string, kind: FilterKind): { lead: string; of: FilterKind; rest: string } {
  let lead = ''
  let of = kind
  let rest = name
  for (;;) {
    const next = of === 'device' ? 'service' : 'device'
    const word = next === 'service' ? 'services.' : 'device.'
    if (!rest.startsWith(word) || (of === 'service' && lead !== '')) return { lead, of, rest }
    lead += word
    rest = rest.slice(word.length)
    of = next
  }
}

function subjectType(
  subject: string,
  kind: FilterKind,
): { of: FilterKind; valueType: FieldType | 'duration' | undefined } {
  if (subject.startsWith('age(')) return { of: kind, valueType: 'duration' }
  if (subject.startsWith('changed(')) return { of: kind, valueType: 'time' }
  const { of, rest } = splitLead(subject, kind)
  if (rest === 'services' && of === 'device') return { of: 'service', valueType: 'string' }
  return { of, valueType: fieldType(of, rest) }
}

const relativeTimes = ['-1h', '-1d', '-7d', '-30d', 'now']
const durations = ['1h', '1d', '7d', '30d']

function itemsFor(expected: Expectation, place: Place): CompletionItem[] {
  switch (expected.type) {
    case 'name':
      return nameItems(expected, place)
    case 'operator':
      return operatorsOf(expected.subject, place.kind).map((text) => ({ kind: 'operator', text }))
    case 'value':
      return startingWith(valuesOf(expected.valueType, expected.prefix), expected.prefix, 'value')
    case 'keyword':
      return startingWith(keywordsAt(place), place.prefix, 'keyword')
    default:
      return []
  }
}

function nameItems(
  { of, lead, prefix, isArgument }: Extract<Expectation, { type: 'name' }>,
  place: Place,
): CompletionItem[] {
  const shortNames = of === 'service' ? [] : reservedNames
  if (isArgument) return startingWith(shortNames, prefix, 'name')
  const inner = of === 'device' ? ['services'] : lead === '' && !place.isInServices ? ['device'] : []
  const names = [
    ...Object.keys(fieldTypes[of]),
    ...(lead.includes('services.') ? [] : inner),
    'attributes',
    ...shortNames,
  ]
  const found = startingWith(names, prefix, 'name').map(({ text }) => ({ kind: 'name', text: lead + text }) as const)
  const functions = lead === '' ? startingWith(functionNames, prefix, 'function') : []
  return [...found, ...functions.map(({ text }) => ({ kind: 'function', text: `${text}(` }) as const)]
}

const startingWith = (all: readonly string[], prefix: string, kind: CompletionItem['kind']): CompletionItem[] =>
  all.filter((text) => text.toLowerCase().startsWith(prefix.toLowerCase())).map((text) => ({ kind, text }))

function keywordsAt({ spot }: Place): readonly string[] {
  if (spot.type === 'condition') return ['NOT']
  return spot.type === 'afterListed' ? ['OR'] : ['AND', 'OR']
}

function operatorsOf(subject: string, kind: FilterKind): readonly string[] {
  if (/^(stale|view|any)\(/.test(subject)) return []
  const { of, rest } = splitLead(subject, kind)
  if (rest === 'attributes' || (rest === 'services' && of === 'device')) return [':']
  switch (subjectType(subject, kind).valueType) {
    case 'id':
    case 'eventId':
    case 'state':
    case 'boolean':
    case 'email':
    case 'source':
      return ['=', '!=', ':']
    case 'time':
      return ['>', '>=', '<', '<=', '=', '!=']
    case 'duration':
      return ['>', '>=', '<', '<=']
    case 'number':
      return ['=', '!=', '>', '>=', '<', '<=']
    default:
      return ['=', '!=', ':', '<', '<=', '>', '>=']
  }
}

const units = ['m', 'h', 'd', 'w']

function valuesOf(type: FieldType | 'duration' | undefined, prefix: string): readonly string[] {
  const isTime = type === 'time' || type === 'duration'
  if (isTime && /^[-+]?\d+$/.test(prefix)) return units.map((unit) => prefix + unit)
  switch (type) {
    case 'state':
      return ['active', 'inactive']
    case 'boolean':
      return ['true', 'false']
    case 'protocol':
      return ['tcp', 'udp']
    case 'source':
      return sourceKinds
    case 'time':
      return relativeTimes
    case 'duration':
      return durations
    default:
      return []
  }
}
