import { formatDuration, formatRelativeTime } from './literals/duration.ts'
import { formatDate, formatTime } from './literals/iso-8601.ts'
import type { FilterKind } from './names/fields.ts'
import { printNameArgument, printSubject } from './resolve/print-subject.ts'
import type {
  Compare,
  CompareList,
  Condition,
  HasValue,
  Literal,
  ResolvedFilter,
  SomeService,
} from './resolve/resolved.ts'
import { quote, writeValue, writeWord } from './syntax/quote.ts'

const DAY = 86_400_000

/**
 * Formats a resolved filter in canonical form: `attributes.` before every attribute, keywords instead of spaces and
 * minus signs, and quotes wherever a literal would be ambiguous. The result resolves to the same filter and is its own
 * canonical form. The canonical form of an empty filter is the empty string.
 */
export function canonicalize(filter: ResolvedFilter | null, kind: FilterKind = 'device'): string {
  return filter === null ? '' : print(filter, kind)
}

function print(filter: ResolvedFilter, kind: FilterKind): string {
  switch (filter.type) {
    case 'and':
    case 'or':
      return filter.operands
        .map((operand) => (isGroup(operand) ? `(${print(operand, kind)})` : print(operand, kind)))
        .join(filter.type === 'and' ? ' AND ' : ' OR ')
    case 'not':
      return printNot(filter.operand, kind)
    case 'services':
      return printServices(filter, { kind, isUnequal: false })
    default:
      return printCondition(filter, kind)
  }
}

const isGroup = ({ type }: ResolvedFilter): boolean => type === 'and' || type === 'or'

function printNot(operand: ResolvedFilter, kind: FilterKind): string {
  if (isEquality(operand)) return printComparison(operand, { kind, isUnequal: true })
  if (
    operand.type === 'services' &&
    operand.condition !== null &&
    isDirect(operand.condition) &&
    isEquality(operand.condition)
  ) {
    return printServices(operand, { kind, isUnequal: true })
  }
  const text = print(operand, kind)
  return isGroup(operand) || operand.type === 'not' ? `NOT (${text})` : `NOT ${text}`
}

const isEquality = (filter: ResolvedFilter): filter is Compare | CompareList =>
  (filter.type === 'compare' || filter.type === 'list') && filter.operator === '='

/** Returns whether a condition can have the prefix `services.`. */
const isDirect = (filter: ResolvedFilter): filter is Compare | CompareList | HasValue =>
  (filter.type === 'compare' || filter.type === 'list' || filter.type === 'present') &&
  filter.subject.of === 'service' &&
  (filter.subject.type === 'field' || (filter.subject.type === 'attribute' && filter.subject.read.type === 'effective'))

interface Style {
  kind: FilterKind
  isUnequal: boolean
}

function printServices({ condition }: SomeService, { kind, isUnequal }: Style): string {
  const services = kind === 'device' ? 'services' : 'device.services'
  if (condition === null) return `${services}:*`
  if (isDirect(condition)) return `${services}.${printComparison(condition, { kind: 'service', isUnequal })}`
  return `${services}:(${print(condition, 'service')})`
}

function printCondition(condition: Condition, kind: FilterKind): string {
  switch (condition.type) {
    case 'word':
      return writeWord(partsOf(condition.literal))
    case 'any':
      return `any(${quote(partsOf(condition.literal))})`
    case 'stale':
      return `stale(${printNameArgument(condition.name)})`
    case 'view':
      return `view(${quote([condition.id])})`
    default:
      return printComparison(condition, { kind, isUnequal: false })
  }
}

const partsOf = (literal: Extract<Literal, { type: 'string' | 'pattern' }>): readonly string[] =>
  literal.type === 'string' ? [literal.value] : literal.parts

function printComparison(comparison: Compare | CompareList | HasValue, { kind, isUnequal }: Style): string {
  const subject = printSubject(comparison.subject, kind)
  if (comparison.type === 'present') return `${subject}:*`
  const { operator } = comparison
  const comparator = operator === ':' ? ':' : isUnequal ? ' != ' : ` ${operator} `
  if (comparison.type === 'compare') return subject + comparator + printLiteral(comparison.literal, operator)
  const literals = comparison.literals.map((literal) => printLiteral(literal, operator))
  return `${subject}${comparator}(${literals.join(comparison.match === 'any' ? ' OR ' : ' AND ')})`
}

function printLiteral(literal: Literal, operator: Compare['operator']): string {
  switch (literal.type) {
    case 'string':
    case 'pattern':
      return writeValue(partsOf(literal))
    case 'number':
      return literal.decimal
    case 'time':
      // After `=`, a date would mean the whole day, so a time at midnight is written in full.
      return operator !== '=' && literal.milliseconds % DAY === 0
        ? formatDate(literal.milliseconds)
        : formatTime(literal.milliseconds)
    case 'day':
      return formatDate(literal.milliseconds)
    case 'relative':
      return formatRelativeTime(literal.seconds)
    case 'duration':
      return formatDuration(literal.seconds)
    case 'boolean':
      return String(literal.value)
  }
}
