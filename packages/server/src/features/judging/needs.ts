import { type Condition, type Literal, type ResolvedFilter, readsOf } from '@muster/filter'
import { RESERVED_GROUP } from '../attributes/attribute-name.ts'
import type { EventTypeName } from '../events/event-types.ts'

/** A filter without `view()`, and the context in which the filter reads attributes. */
export interface Selection {
  /** Undefined matches every device. */
  filter: ResolvedFilter | undefined
  context: string | undefined
}

/** The parts of a device that a filter reads. */
export interface Needs {
  /** The top-level attribute names. Undefined means all names. */
  names: readonly string[] | undefined
  overrides: boolean
  services: boolean
  reserved: boolean
  stateSince: boolean
  lastReported: boolean
  clock: boolean
  times: boolean
  /** The types of events that can record changes to the parts that the filter reads. */
  types: readonly EventTypeName[]
}

export function needsOf({ filter, context }: Selection): Needs {
  const conditions = filter === undefined ? [] : conditionsOf(filter)
  const services = filter !== undefined && readsOf(filter).isServices
  const fields = new Set(conditions.flatMap(fieldOf))
  const isAll = fields.has('contexts') || conditions.some(({ type }) => type === 'any')
  const names = [...new Set(conditions.flatMap(nameOf))]
  const readsAttributes = isAll || names.length > 0
  const readsState = services || ['state', 'online', 'stateSince', 'lastReported'].some((name) => fields.has(name))
  return {
    names: isAll ? undefined : names,
    overrides: fields.has('contexts') || (readsAttributes && (context !== undefined || conditions.some(isInContext))),
    services,
    reserved: isAll || names.includes(RESERVED_GROUP),
    stateSince: fields.has('stateSince'),
    lastReported: fields.has('lastReported'),
    clock: conditions.some(
      (condition) => isOfTime(condition) || literalsOf(condition).some(({ type }) => type === 'relative'),
    ),
    times: conditions.some(isOfTime),
    types: [
      ...(['DEVICE_REGISTER', 'DEVICE_DELETE', 'DEVICE_TRANSFER', 'DEVICE_UPDATE'] as const),
      ...(readsState ? (['DEVICE_STATE'] as const) : []),
      ...(services ? (['SERVICE_STATE', 'SERVICE_ADD', 'SERVICE_UPDATE', 'SERVICE_REMOVE'] as const) : []),
      ...(readsAttributes ? (['ATTRIBUTE_CHANGE'] as const) : []),
    ],
  }
}

function isOfTime(condition: Condition): boolean {
  if (condition.type === 'stale') return true
  return 'subject' in condition && (condition.subject.type === 'age' || condition.subject.type === 'changed')
}

function conditionsOf(filter: ResolvedFilter): Condition[] {
  switch (filter.type) {
    case 'and':
    case 'or':
      return filter.operands.flatMap(conditionsOf)
    case 'not':
      return conditionsOf(filter.operand)
    case 'services':
      return filter.condition === null ? [] : conditionsOf(filter.condition)
    default:
      return [filter]
  }
}

const fieldOf = (condition: Condition): string[] =>
  'subject' in condition && condition.subject.type === 'field' ? [condition.subject.name] : []

function nameOf(condition: Condition): string[] {
  if (condition.type === 'stale') return [condition.name[0]]
  if (!('subject' in condition) || condition.subject.type === 'field') return []
  return [condition.subject.name[0]]
}

function isInContext(condition: Condition): boolean {
  const subject = condition.type === 'stale' ? condition : 'subject' in condition ? condition.subject : undefined
  if (subject === undefined || subject.type === 'field') return false
  return subject.read?.type === 'in' || subject.read?.type === 'override'
}

function literalsOf(condition: Condition): readonly Literal[] {
  if (condition.type === 'list') return condition.literals
  return 'literal' in condition ? [condition.literal] : []
}
