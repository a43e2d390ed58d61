import type {
  AttributeSubject,
  Compare,
  CompareList,
  Condition,
  FieldSubject,
  HasValue,
  ReadableNames,
  ResolvedFilter,
  TimeOfAttribute,
} from '@muster/filter'
import { sql } from 'kysely'
import { contains, matchesIgnoringCase } from '../../../db/text-match.ts'
import { reservedColumns } from '../../attributes/attributes.ts'
import { compareAttribute, compareAttributeList, hasAttribute, type Use } from './attribute-conditions.ts'
import { compareAttributeTime, isStale } from './attribute-times.ts'
import { compareField, compareFieldList, hasField, matchesWord } from './field-conditions.ts'
import { both, either, type FilterScope, type Sql } from './filter-scope.ts'
import { isReadable, namedValues } from './readable-names.ts'
import { isNoBulkService, joinServiceLive, overridesIn } from './value-source.ts'

/**
 * Converts a filter to SQL, which can be null for missing values. WHERE treats null like false, and the SQL of a
 * negation converts null to false before it negates the operand. In `scope.tables`, marks the tables that the condition
 * reads.
 */
export const filterCondition = (filter: ResolvedFilter, scope: FilterScope): Sql =>
  condition(filter, scope, { isNegated: false })

function condition(filter: ResolvedFilter, scope: FilterScope, use: Use): Sql {
  switch (filter.type) {
    case 'and':
      return both(filter.operands.map((operand) => condition(operand, scope, use)))
    case 'or':
      return either(filter.operands.map((operand) => condition(operand, scope, use)))
    case 'not':
      return sql`not coalesce(${condition(filter.operand, scope, { isNegated: true })}, false)`
    case 'services':
      return someService(filter.condition, scope, use)
    default:
      return single(filter, scope, use)
  }
}

function single(found: Condition, scope: FilterScope, use: Use): Sql {
  switch (found.type) {
    case 'compare':
      return compare(found, scope, use)
    case 'list':
      if (isOfTime(found)) return compareTimeList(scope, found)
      return isOfField(found) ? compareFieldList(scope, found) : compareAttributeList(scope, ofAttribute(found), use)
    case 'present':
      return isOfField(found) ? hasField(scope, found) : hasAttribute(scope, ofAttribute(found))
    case 'word':
      return matchesWord(scope, found)
    case 'any':
      return anyAttribute(found, scope)
    case 'stale':
      return isStale(scope, found)
    case 'view':
      throw new Error('view() must be replaced with the filter of the view before the conversion to SQL')
  }
}

function compare(found: Compare, scope: FilterScope, use: Use): Sql {
  if (isOfField(found)) return compareField(scope, found)
  return isOfTime(found) ? compareAttributeTime(scope, found) : compareAttribute(scope, ofAttribute(found), use)
}

const isOfTime = <Found extends WithSubject>(found: Found): found is Found & { subject: TimeOfAttribute } =>
  found.subject.type === 'age' || found.subject.type === 'changed'

function compareTimeList(scope: FilterScope, found: CompareList & { subject: TimeOfAttribute }): Sql {
  const { subject, operator, match, literals } = found
  const each = literals.map((literal) => compareAttributeTime(scope, { type: 'compare', subject, operator, literal }))
  return match === 'all' ? both(each) : either(each)
}

type WithSubject = Compare | CompareList | HasValue

const isOfField = <Found extends WithSubject>(found: Found): found is Found & { subject: FieldSubject } =>
  found.subject.type === 'field'

function ofAttribute<Found extends WithSubject>(found: Found): Found & { subject: AttributeSubject } {
  if (found.subject.type === 'attribute') return found as Found & { subject: AttributeSubject }
  throw new Error(`expected an attribute, found a subject of type ${found.subject.type}`)
}

function someService(found: ResolvedFilter | null, scope: FilterScope, use: Use): Sql {
  scope.tables.device = true
  const inside: FilterScope = {
    ...scope,
    tables: { ...scope.tables, serviceLive: false, serviceOverrides: false },
  }
  const where = found === null ? sql`` : sql`and ${condition(found, inside, use)}`
  const { serviceLive, serviceOverrides, ...ofDevice } = inside.tables
  Object.assign(scope.tables, ofDevice)
  const { accountId, context } = scope
  return sql`exists (select from service s
    ${serviceLive ? joinServiceLive : sql``} ${serviceOverrides ? overridesIn(context!, 'service') : sql``}
    where s.account_id = ${accountId} and s.device_id = d.id and ${isNoBulkService}
      ${where})`
}

function anyAttribute({ of, literal, readable }: Condition & { type: 'any' }, scope: FilterScope): Sql {
  const matches = (value: Sql): Sql =>
    literal.type === 'pattern' ? matchesIgnoringCase(value, literal.parts) : contains(value, literal.value)
  if (of === 'device') scope.tables.device = scope.tables.live = true
  const attributes = of === 'device' ? sql`d.attributes` : sql`s.attributes`
  const reserved = of === 'device' ? [...reservedColumns.values()].map((name) => matches(sql.ref(`l.${name}`))) : []
  if (readable !== undefined) return anyReadable({ of, attributes, readable }, matches)
  const values = sql`exists (select from jsonb_path_query(${attributes}, 'strict $.**') as found (value)
    where jsonb_typeof(found.value) = 'string' and ${matches(sql`(found.value #>> '{}')`)})`
  return either([values, ...reserved])
}

function anyReadable(
  { of, attributes, readable }: { of: 'device' | 'service'; attributes: Sql; readable: ReadableNames },
  matches: (value: Sql) => Sql,
): Sql {
  const reserved =
    of === 'device'
      ? [...reservedColumns].map(([subName, column]) => sql`(${`$svc.${subName}`}, ${sql.ref(`l.${column}`)})`)
      : []
  const every = [sql`select each.name, each.value from ${namedValues(attributes)}`]
  if (reserved.length > 0) every.push(sql`select * from (values ${sql.join(reserved)}) as reserved (name, value)`)
  return sql`exists (select from (${sql.join(every, sql` union all `)}) as found (name, value)
    where ${matches(sql`found.value`)} and ${isReadable(sql`found.name`, readable)})`
}
