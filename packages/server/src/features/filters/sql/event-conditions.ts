import type {
  Compare,
  CompareList,
  FieldSubject,
  HasValue,
  Literal,
  ReadableNames,
  ResolvedFilter,
  WordSearch,
} from '@muster/filter'
import { sql } from 'kysely'
import { compareText, compareTime, lowercase, textOf } from './compare.ts'
import { filterCondition } from './conditions.ts'
import { both, either, type FilterScope, noTables, type Sql } from './filter-scope.ts'
import { isReadable } from './readable-names.ts'
import { overridesIn } from './value-source.ts'

type EventSubject = Extract<FieldSubject, { of: 'event' }>
type EventCondition =
  | (Compare & { subject: EventSubject })
  | (CompareList & { subject: EventSubject })
  | (HasValue & { subject: EventSubject })
  | (WordSearch & { of: 'event' })

/** Converts a filter of events to SQL. Conditions on an event's device apply to the device's current values. */
export function eventCondition(filter: ResolvedFilter, scope: FilterScope): Sql {
  switch (filter.type) {
    case 'and':
      return both(filter.operands.map((operand) => eventCondition(operand, scope)))
    case 'or':
      return either(filter.operands.map((operand) => eventCondition(operand, scope)))
    case 'not':
      return sql`not coalesce(${eventCondition(filter.operand, scope)}, false)`
    default:
      return isOfEvent(filter) ? single(filter, scope) : ofDevice(filter, scope)
  }
}

const isOfEvent = (filter: ResolvedFilter): filter is EventCondition =>
  filter.type === 'word' ? filter.of === 'event' : 'subject' in filter && filter.subject.of === 'event'

function ofDevice(filter: ResolvedFilter, scope: FilterScope): Sql {
  const inside = { ...scope, tables: noTables() }
  const condition = filterCondition(filter, inside)
  return sql`exists (select from device_live l join device d on d.account_id = l.account_id and d.id = l.device_id
    ${inside.tables.overrides ? overridesIn(scope.context!, 'device') : sql``}
    where l.account_id = ${scope.accountId} and l.device_id = event.device_id and ${condition})`
}

function single(found: EventCondition, scope: FilterScope): Sql {
  switch (found.type) {
    case 'word':
      return compare(scope, { name: 'target.name', operator: ':', literal: found.literal })
    case 'present':
      return hasValue(found.subject)
    case 'compare':
      return compare(scope, { ...named(found.subject), operator: found.operator, literal: found.literal })
    case 'list': {
      const { subject, operator, literals } = found
      const each = literals.map((literal) => compare(scope, { ...named(subject), operator, literal }))
      return found.match === 'all' ? both(each) : either(each)
    }
  }
}

const named = ({ name, readable }: EventSubject): Pick<Comparison, 'name' | 'readable'> => ({ name, readable })

interface Comparison {
  name: EventSubject['name']
  readable?: ReadableNames | undefined
  operator: Compare['operator']
  literal: Literal
}

function compare(scope: FilterScope, { name, readable, operator, literal }: Comparison): Sql {
  if (name === 'timestamp') return compareTime(sql`event."timestamp"`, operator, { literal, now: scope.now })
  if (name === 'id' && operator === '=' && literal.type === 'string') return equalsId(textOf(literal))
  const several = valuesOf(name, readable)
  if (several !== undefined)
    return sql`exists (select from ${several} as each (value) where ${compareText(sql`each.value`, operator, literal)})`
  if (name !== 'actor') return compareText(columnOf(name), operator, literal)
  return either([
    compareText(sql`event.actor_id`, operator, literal),
    compareText(emailOfActor, operator, lowercase(literal)),
  ])
}

/** Compares the event ID. An ID of more than 18 digits may not fit in the column, so it is compared as a string. */
const equalsId = (id: string): Sql => (id.length > 18 ? sql`event.id::text = ${id}` : sql`event.id = ${id}::bigint`)

function hasValue({ name, readable }: EventSubject): Sql {
  const several = valuesOf(name, readable)
  if (several !== undefined) return sql`exists (select from ${several} as each (value))`
  if (name === 'id' || name === 'type' || name === 'timestamp') return sql`true`
  return name === 'actor' ? sql`event.actor_id is not null` : sql`${columnOf(name)} is not null`
}

/** Returns SQL for the rows of a field's values, or undefined for a field with one value per event. */
function valuesOf(name: EventSubject['name'], readable: ReadableNames | undefined): Sql | undefined {
  if (name === 'changed') {
    const names = sql`jsonb_object_keys(case when jsonb_typeof(event.data -> 'changes') = 'object'
      then event.data -> 'changes' else '{}' end)`
    if (readable === undefined) return names
    // Events of other types contain field changes, which every caller can read.
    return sql`(select name from ${names} as changed (name)
      where event.type <> 'ATTRIBUTE_CHANGE' or ${isReadable(sql`name`, readable)})`
  }
  const [group, member] = name.split('.')
  if (group !== 'target') return undefined
  return sql`(select target.value ->> ${sql.lit(member)} from jsonb_array_elements(event.targets) as target)`
}

const columns: Partial<Record<EventSubject['name'], Sql>> = {
  id: sql`event.id::text`,
  type: sql`event.type`,
  // A bulk job's changes belong to the key that started the job.
  key: sql`(case event.source ->> 'kind' when 'accessKey' then event.source ->> 'id' when 'job' then event.source ->> 'key' end)`,
  job: sql`(case when event.source ->> 'kind' = 'job' then event.source ->> 'id' end)`,
  source: sql`coalesce(event.source ->> 'kind', 'unknown')`,
  state: sql`event.state`,
  context: sql`(event.data ->> 'context')`,
}

const columnOf = (name: EventSubject['name']): Sql => columns[name]!

const emailOfActor: Sql = sql`(select lower(email) from person where person.id = event.actor_id)`
