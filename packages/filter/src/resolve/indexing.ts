import { isReservedName } from '../names/attribute-name.ts'
import type { FilterKind } from '../names/fields.ts'
import { toCodePoints } from '../positions.ts'
import type {
  AttributeSubject,
  Compare,
  CompareList,
  Condition,
  FieldSubject,
  Literal,
  ResolvedFilter,
} from './resolved.ts'

/** A trigram index finds only literals with at least this many consecutive characters without a wildcard. */
const TRIGRAM = 3

export interface IndexOptions {
  /** The kind of object that the filter selects, or `nested` inside `services:(…)`. */
  readonly kind: FilterKind | 'nested'
  /** Whether the request has a context, whose overrides are part of the effective values. Default: false. */
  readonly hasContext?: boolean | undefined
  readonly isIndexedView?: ((id: string) => boolean) | undefined
}

/**
 * Returns whether an index can find the matches. A conjunction needs at least one indexed condition. In a disjunction,
 * every condition must be indexed. No index can find the matches of a negation.
 */
export function isIndexed(filter: ResolvedFilter, options: IndexOptions): boolean {
  switch (filter.type) {
    case 'and':
      return filter.operands.some((operand) => isIndexed(operand, options))
    case 'or':
      return filter.operands.every((operand) => isIndexed(operand, options))
    case 'not':
      return false
    case 'services':
      return filter.condition !== null && isIndexed(filter.condition, { ...options, kind: 'nested' })
    default:
      return isIndexedCondition(filter, options)
  }
}

function isIndexedCondition(condition: Condition, options: IndexOptions): boolean {
  const { kind, isIndexedView } = options
  switch (condition.type) {
    case 'word':
      return kind === 'device' && hasTrigram(condition.literal)
    case 'view':
      return isIndexedView?.(condition.id) ?? false
    case 'compare':
    case 'list':
      return isIndexedComparison(condition, options)
    default:
      return false
  }
}

function isIndexedComparison(condition: Compare | CompareList, options: IndexOptions): boolean {
  const { kind } = options
  const { subject, operator } = condition
  const literals = condition.type === 'list' ? condition.literals : [condition.literal]
  const isEquality = operator === '=' && literals.every(({ type }) => type !== 'pattern')
  if (subject.type === 'attribute') {
    if (kind === 'event') return false
    return (
      isEquality ||
      (isReservedBase(subject, options) && operator !== ':' && literals.every(({ type }) => type === 'string'))
    )
  }
  if (subject.type !== 'field') return false
  const isPart = operator === ':' && isFoundByPart(condition, literals)
  return isIndexedField(subject, kind, { isEquality, isPart, isOrder: operator !== '=' && operator !== ':' })
}

/** Only the base values of a device's reserved names have indexes for <, <=, >, and >=. */
const isReservedBase = ({ of, name, read }: AttributeSubject, { hasContext }: IndexOptions): boolean =>
  of === 'device' && isReservedName(name) && (read.type === 'base' || (read.type === 'effective' && !hasContext))

function isFoundByPart(condition: Compare | CompareList, literals: readonly Literal[]): boolean {
  const isAll = condition.type === 'list' && condition.match === 'all'
  return isAll ? literals.some(hasTrigram) : literals.every(hasTrigram)
}

function hasTrigram(literal: Literal): boolean {
  const parts = literal.type === 'string' ? [literal.value] : literal.type === 'pattern' ? literal.parts : []
  return parts.some((part) => toCodePoints(part, part.length) >= TRIGRAM)
}

interface Use {
  isEquality: boolean
  /** Whether the comparison is `:` with a value that has enough consecutive characters for the index. */
  isPart: boolean
  isOrder: boolean
}

function isIndexedField(subject: FieldSubject, kind: IndexOptions['kind'], use: Use): boolean {
  const isRange = use.isEquality || use.isOrder
  if (subject.of === 'event') return subject.name === 'id' ? use.isEquality : subject.name === 'timestamp' && isRange
  if (subject.of === 'service') {
    if (subject.name === 'port' || subject.name === 'application') return isRange
    return kind === 'service' && subject.name === 'id' && use.isEquality
  }
  if (kind === 'event') return subject.name === 'id' && use.isEquality
  switch (subject.name) {
    case 'id':
    case 'platform':
    case 'state':
    case 'online':
      return use.isEquality
    case 'hardwareId':
      return use.isEquality || use.isPart
    case 'name':
      return use.isPart
    case 'created':
    case 'lastReported':
      return isRange
    default:
      return false
  }
}
