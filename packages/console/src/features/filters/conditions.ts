import {
  type Chip,
  type FieldType,
  fieldType,
  fromChips,
  isReservedShortName,
  parseFilter,
  printFilter,
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

export const addCondition = (where: string | undefined, condition: Condition): string =>
  fromChips([...termsOf(where), toChip(condition)])

export function joinFilters(...filters: readonly (string | undefined)[]): string | undefined {
  const given = filters.filter((filter) => filter !== undefined)
  return given.length < 2 ? given[0] : fromChips(given.flatMap(termsOf))
}

/**
 * Returns a chip, which represents one condition, for each part of a filter that AND joins. If a chip cannot express a
 * part, such as conditions joined by OR, the chip's subject is the part in parentheses, and the chip has no operator.
 */
function termsOf(where = ''): Chip[] {
  const { tree, problems } = parseFilter(where)
  const isValid = tree !== null && problems.length === 0
  const parts = isValid ? (tree.type === 'and' ? tree.operands : [tree]).map(printFilter) : [where]
  return parts.flatMap(
    (part) =>
      toChips(part) ?? { subject: `(${part})`, operator: null, values: [], isNegated: false, matchesAll: false },
  )
}

/**
 * Returns the filter's only condition on a subject. Returns undefined if there is none or more than one, or if the form
 * does not offer its comparison.
 */
export function conditionOn(where: string | undefined, subject: string): Omit<Condition, 'subject'> | undefined {
  const found = termsOf(where).filter((chip) => chip.subject === subject)
  const [chip] = found
  if (found.length !== 1 || chip === undefined) return undefined
  const comparison = comparisonOf(chip)
  return comparison && { comparison, values: isPresence(comparison) ? [] : chip.values.map(showChipValue) }
}

/** Replaces or removes a filter's conditions on a subject. Returns undefined if no condition remains. */
export function replaceCondition(
  where: string | undefined,
  subject: string,
  condition: Omit<Condition, 'subject'> | undefined,
): string | undefined {
  const others = termsOf(where).filter((chip) => chip.subject !== subject)
  return fromChips(condition === undefined ? others : [...others, toChip({ ...condition, subject })]) || undefined
}

/**
 * Returns a chip's comparison, or undefined for words and for function calls without a comparison. The result includes
 * the chip's negation only if the operator is ":".
 */
export function comparisonOf({ operator, values, isNegated }: Chip): ComparisonName | undefined {
  if (operator === null) return undefined
  const name = operator === ':' ? `${isNegated ? '!' : ''}${values[0] === '*' ? '*' : ':'}` : operator
  return isComparison(name) ? name : undefined
}

export const valuesOf = (where: string | undefined, subject: string): string[] =>
  termsOf(where).find(isChoice(subject))?.values.map(showChipValue) ?? []

/** Replaces the values of a filter's condition. Values that the condition already contains stay as they are written. */
export function chooseValues(
  where: string | undefined,
  subject: string,
  values: readonly string[],
): string | undefined {
  const terms = termsOf(where)
  const index = terms.findIndex(isChoice(subject))
  const written = new Map(terms[index]?.values.map((value) => [showChipValue(value), value]))
  const chip = toChip({ subject, comparison: '=', values }, written)
  terms.splice(index < 0 ? terms.length : index, 1, ...(values.length === 0 ? [] : [chip]))
  return fromChips(terms) || undefined
}

export const removeChip = (where: string | undefined, index: number): string | undefined =>
  fromChips(chipsOf(where).toSpliced(index, 1)) || undefined

/** Returns a filter's chips, or an empty list if chips cannot express the filter. */
export const chipsOf = (where: string | undefined): Chip[] => toChips(where ?? '') ?? []

const isChoice =
  (subject: string) =>
  (chip: Chip): boolean =>
    chip.subject === subject && chip.operator === '=' && !chip.matchesAll

/**
 * Returns the name that an attribute has where names of fields are also possible. Adds the prefix `attributes.` if the
 * name would otherwise mean a field, an attribute of services, or another attribute. The short name `statusA`, for
 * example, means `$svc.statusA`.
 */
export const nameAmongFields = (attribute: string): string =>
  typeOf(attribute) !== undefined || isReservedShortName(attribute) || /^(attributes|services)(\.|$)/.test(attribute)
    ? ATTRIBUTES_PREFIX + attribute
    : attribute

/**
 * Returns the name of a field or an attribute as it is written in the filter language. Short names of attributes in
 * `$svc` become full names. Full names of these attributes and names of fields stay the same. Names of other attributes
 * get the prefix `attributes.`, with which a filter accepts a name that is not in use yet.
 */
export function subjectOf(name: string): string {
  if (typeOf(name) !== undefined) return name
  if (isReservedShortName(name)) return `$svc.${name}`
  const prefix = name.startsWith(SERVICE_PREFIX) ? SERVICE_PREFIX : ''
  const rest = name.slice(prefix.length)
  const attribute = rest.startsWith(ATTRIBUTES_PREFIX) ? rest.slice(ATTRIBUTES_PREFIX.length) : rest
  const written = printName(splitAttributeName(attribute))
  return prefix + (rest.startsWith('$svc.') ? written : ATTRIBUTES_PREFIX + written)
}

const SERVICE_PREFIX = 'services.'
const ATTRIBUTES_PREFIX = 'attributes.'

const typeOf = (name: string): FieldType | undefined =>
  name.startsWith(SERVICE_PREFIX) ? fieldType('service', name.slice(SERVICE_PREFIX.length)) : fieldType('device', name)

/** Matches numbers, times, and relative times, which must not be quoted: quoted values are compared as strings. */
const plainLiteral = /^[-+]?\d[\w:.+-]*$/

/** Formats the values, except those that `written` already contains. */
function toChip({ subject, comparison, values }: Condition, written?: ReadonlyMap<string, string>): Chip {
  const isNegated = comparison === '!:' || comparison === '!*'
  const operator = comparison === '*' || comparison === '!*' || comparison === '!:' ? ':' : comparison
  const isOrder = operator.startsWith('<') || operator.startsWith('>')
  const isPlain =
    isOrder || ['number', 'time', 'application'].includes(typeOf(subject) ?? fieldType('service', subject) ?? '')
  const write = (value: string): string =>
    written?.get(value) ?? (isPlain && plainLiteral.test(value) ? value : writeChipValue(value))
  return { subject, operator, values: isPresence(comparison) ? ['*'] : values.map(write), isNegated, matchesAll: false }
}
