import {
  type Chip,
  type FieldType,
  fieldType,
  fromChips,
  printName,
  showChipValue,
  splitAttributeName,
  toChips,
  writeChipValue,
} from '@muster/filter'

/** Labels of the comparisons that the form offers. A leading `!` negates a comparison, and `*` means any value. */
export const comparisons = {
  '=': 'is',
  '!=': 'is not',
  ':': 'contains',
  '!:': 'does not contain',
  '*': 'exists',
  '!*': 'does not exist',
  '<': 'is less than',
  '<=': 'is at most',
  '>': 'is greater than',
  '>=': 'is at least',
} as const

export type ComparisonName = keyof typeof comparisons

export const isComparison = (name: string): name is ComparisonName => Object.hasOwn(comparisons, name)

export const isPresence = (comparison: ComparisonName): boolean => comparison.endsWith('*')

export const takesList = (comparison: ComparisonName): boolean => comparison in { '=': 0, '!=': 0, ':': 0, '!:': 0 }

interface Condition {
  /** Name of a field or an attribute, as it is written in the filter language. */
  subject: string
  comparison: ComparisonName
  /** Ignored for comparisons without values. */
  values: readonly string[]
}

export const addCondition = (where: string | undefined, condition: Condition): string | undefined =>
  joinFilters(where, fromChips([toChip(condition)]))

export function joinFilters(...filters: readonly (string | undefined)[]): string | undefined {
  const given = filters.filter((filter) => filter !== undefined)
  return given.length < 2
    ? given[0]
    : given.map((each) => (toChips(each) === undefined ? `(${each})` : each)).join(' AND ')
}

/**
 * Returns the filter's only condition on a subject. Returns undefined if there is none or more than one, or if the form
 * does not offer its comparison.
 */
export function conditionOn(where: string | undefined, subject: string): Omit<Condition, 'subject'> | undefined {
  const found = chipsOf(where).filter((chip) => chip.subject === subject)
  const [chip] = found
  if (found.length !== 1 || chip === undefined) return undefined
  const comparison = comparisonOf(chip)
  return comparison && { comparison, values: isPresence(comparison) ? [] : chip.values.map(showChipValue) }
}

/**
 * Replaces or removes a filter's conditions on a subject. If chips cannot express the filter, only adds the new
 * condition. Returns undefined if no condition remains.
 */
export function replaceCondition(
  where: string | undefined,
  subject: string,
  condition: Omit<Condition, 'subject'> | undefined,
): string | undefined {
  const own = condition === undefined ? undefined : { ...condition, subject }
  const chips = toChips(where ?? '')
  if (chips === undefined) return own === undefined ? where : addCondition(where, own)
  const others = chips.filter((chip) => chip.subject !== subject)
  return fromChips(own === undefined ? others : [...others, toChip(own)]) || undefined
}

/**
 * Returns a chip's comparison, or undefined for words and for function calls without a comparison. For <, <=, >, and
 * >=, the result does not include the chip's negation.
 */
export function comparisonOf({ operator, values, isNegated }: Chip): ComparisonName | undefined {
  if (operator === null) return undefined
  const name = operator === ':' ? `${isNegated ? '!' : ''}${values[0] === '*' ? '*' : ':'}` : operator
  return isComparison(name) ? name : undefined
}

export const valuesOf = (where: string | undefined, subject: string): string[] =>
  chipsOf(where).find(isChoice(subject))?.values.map(showChipValue) ?? []

export function chooseValues(
  where: string | undefined,
  subject: string,
  values: readonly string[],
): string | undefined {
  const chips = toChips(where ?? '')
  if (chips === undefined) return addCondition(where, { subject, comparison: '=', values })
  const index = chips.findIndex(isChoice(subject))
  const chosen = values.length === 0 ? [] : [toChip({ subject, comparison: '=', values })]
  const next = index < 0 ? [...chips, ...chosen] : chips.toSpliced(index, 1, ...chosen)
  return fromChips(next) || undefined
}

export const removeChip = (where: string | undefined, index: number): string | undefined =>
  fromChips(chipsOf(where).toSpliced(index, 1)) || undefined

/** Returns a filter's chips, or an empty list if chips cannot express the filter. */
export const chipsOf = (where: string | undefined): Chip[] => toChips(where ?? '') ?? []

const isChoice =
  (subject: string) =>
  (chip: Chip): boolean =>
    chip.subject === subject && chip.operator === '=' && !chip.isNegated

/** Returns the name of a field or an attribute as it is written in the filter language. Names of fields stay the same. */
export function subjectOf(name: string): string {
  if (typeOf(name) !== undefined) return name
  const written = printName(splitAttributeName(name))
  return name.startsWith('$svc.') ? written : `attributes.${written}`
}

const SERVICE_PREFIX = 'services.'

const typeOf = (name: string): FieldType | undefined =>
  name.startsWith(SERVICE_PREFIX) ? fieldType('service', name.slice(SERVICE_PREFIX.length)) : fieldType('device', name)

/** Matches numbers, times, and relative times, which must not be quoted: quoted values are compared as strings. */
const plainLiteral = /^[-+]?\d[\w:.+-]*$/

function toChip({ subject, comparison, values }: Condition): Chip {
  const isNegated = comparison === '!:' || comparison === '!*'
  const operator = comparison === '*' || comparison === '!*' || comparison === '!:' ? ':' : comparison
  const isOrder = operator.startsWith('<') || operator.startsWith('>')
  const isPlain =
    isOrder || ['number', 'time', 'application'].includes(typeOf(subject) ?? fieldType('service', subject) ?? '')
  const write = (value: string): string => (isPlain && plainLiteral.test(value) ? value : writeChipValue(value))
  return { subject, operator, values: isPresence(comparison) ? ['*'] : values.map(write), isNegated, matchesAll: false }
}
