import type {
  Compare,
  CompareList,
  DeviceField,
  FieldSubject,
  HasValue,
  ServiceField,
  WordSearch,
} from '@muster/filter'
import { sql } from 'kysely'
import { naturally } from '../../../db/natural-order.ts'
import { contains, matchesIgnoringCase } from '../../../db/text-match.ts'
import { applicationTypes } from '../../services/application-types.ts'
import { compareInteger, compareNaturally, compareText, compareTime, lowercase, textOf } from './compare.ts'
import { both, columnIn, either, type FilterScope, type Sql } from './filter-scope.ts'
import { andReadableOverride } from './readable-names.ts'

type FieldCompare = Compare & { subject: FieldSubject }

export function compareField(scope: FilterScope, { subject, operator, literal }: FieldCompare): Sql {
  switch (subject.valueType) {
    case 'time':
      return compareTime(columnOf(scope, subject), operator, { literal, now: scope.now })
    case 'boolean':
      return sql`${columnOf(scope, subject)} = ${literal.type === 'boolean' && literal.value}`
    case 'state':
      return sql`${columnOf(scope, subject)} = ${textOf(literal)}`
    case 'number':
      return compareInteger(columnOf(scope, subject), operator, literal)
    case 'application':
      return literal.type === 'number'
        ? compareInteger(columnOf(scope, subject), operator, literal)
        : compareType('title', operator, literal)
    case 'protocol':
      return compareType('protocol', operator, literal)
    case 'strings':
      return sql`exists (select from attribute_override x where x.account_id = ${scope.accountId}
        and x.target_id = ${targetOf(scope, subject)} and ${compareText(sql`x.context`, operator, literal)}
        ${andReadableOverride(subject.readable)})`
    case 'email':
      return compareText(sql`lower(${columnOf(scope, subject)})`, operator, lowercase(literal))
    default:
      return subject.name === 'title'
        ? compareType('title', operator, literal)
        : compareString(columnOf(scope, subject), { subject, operator, literal })
  }
}

/**
 * For `=` with a device's name or platform, compares twice. The first comparison uses the index, which does not
 * distinguish A1 from a01, and the second is exact.
 */
function compareString(column: Sql, { subject, operator, literal }: Omit<FieldCompare, 'type'>): Sql {
  const isSorted = subject.of === 'device' && (subject.name === 'name' || subject.name === 'platform')
  if (literal.type === 'string' && operator === '=' && isSorted)
    return sql`(${naturally(column)} = ${literal.value} and ${column} = ${literal.value})`
  if (literal.type === 'string' && operator !== '=' && operator !== ':')
    return compareNaturally(column, operator, literal.value)
  return compareText(column, operator, literal)
}

export function compareFieldList(
  scope: FilterScope,
  { subject, operator, match, literals }: CompareList & { subject: FieldSubject },
): Sql {
  if (subject.name === 'id' && operator === '=') return sql`${columnOf(scope, subject)} = any(${literals.map(textOf)})`
  const each = literals.map((literal) => compareField(scope, { type: 'compare', subject, operator, literal }))
  return match === 'all' ? both(each) : either(each)
}

export function hasField(scope: FilterScope, { subject }: HasValue & { subject: FieldSubject }): Sql {
  if (subject.valueType === 'strings')
    return sql`exists (select from attribute_override x
      where x.account_id = ${scope.accountId} and x.target_id = ${targetOf(scope, subject)}
        ${andReadableOverride(subject.readable)})`
  const optional = ['hardwareId', 'platform', 'host', 'port', 'lastReported']
  return optional.includes(subject.name) ? sql`${columnOf(scope, subject)} is not null` : sql`true`
}

/**
 * Without wildcards, a word matches a part of the name, of a device's hardware ID, or of a service's host. It also
 * matches the beginning of the ID. With wildcards, a word matches the whole name, hardware ID, or host. Ignores case.
 */
export function matchesWord(scope: FilterScope, { of, literal }: WordSearch): Sql {
  if (of === 'event') throw new Error('matchesWord does not support events: use event-conditions.ts')
  const columns =
    of === 'device'
      ? [deviceColumn(scope, 'name'), deviceColumn(scope, 'hardwareId')]
      : [serviceColumn(scope, 'name'), serviceColumn(scope, 'host')]
  if (literal.type === 'pattern') return either(columns.map((each) => matchesIgnoringCase(each, literal.parts)))
  const parts = columns.map((each) => contains(each, literal.value))
  const start = literal.value.toLowerCase()
  const startsId = /^[0-9a-f:]{1,23}$/.test(start) ? [sql`${columnIn(scope, of, 'id')} like ${`${start}%`}`] : []
  return either([...parts, ...startsId])
}

/** Returns SQL for the value of a field. The field `contexts` has several values, so no SQL exists for its value. */
export function columnOf(scope: FilterScope, subject: FieldSubject): Sql {
  switch (subject.of) {
    case 'device':
      return deviceColumn(scope, subject.name)
    case 'service':
      return serviceColumn(scope, subject.name)
    case 'event':
      throw new Error('columnOf does not support events: use event-conditions.ts')
  }
}

const deviceColumns: Readonly<
  Record<Exclude<DeviceField, 'online' | 'owner' | 'contexts'>, readonly ['d' | 'l', string]>
> = {
  id: ['d', 'id'],
  name: ['d', 'name'],
  hardwareId: ['d', 'hardware_id'],
  platform: ['d', 'platform'],
  created: ['d', 'created'],
  state: ['l', 'state'],
  stateSince: ['l', 'state_since'],
  lastReported: ['l', 'last_reported'],
}

function deviceColumn(scope: FilterScope, name: DeviceField): Sql {
  const { tables, accountId } = scope
  switch (name) {
    case 'online':
      return sql`(${deviceColumn(scope, 'state')} = 'active')`
    case 'owner':
      return sql`(select coalesce(contact_email, email) from account where id = ${accountId})`
    case 'contexts':
      throw severalValues(name)
    default: {
      const [table, column] = deviceColumns[name]
      if (table === 'd') tables.device = true
      else tables.live = true
      return sql.ref(`${table}.${column}`)
    }
  }
}

function serviceColumn(scope: FilterScope, name: ServiceField): Sql {
  const { tables } = scope
  switch (name) {
    case 'id':
    case 'name':
    case 'application':
    case 'host':
    case 'port':
    case 'enabled':
    case 'created':
      return sql.ref(`s.${name}`)
    case 'title':
    case 'protocol':
      return sql`(select t.value from ${typeValues(name)} where t.id = s.application)`
    case 'state':
      // A service that has never reported a state has its device's state.
      tables.serviceLive = tables.live = true
      return sql`coalesce(live.state, l.state)`
    case 'online':
      return sql`(${serviceColumn(scope, 'state')} = 'active')`
    case 'lastReported':
      tables.serviceLive = true
      return sql`live.last_reported`
    case 'contexts':
      throw severalValues(name)
  }
}

const severalValues = (name: string): Error => new Error(`the field ${name} has several values, so it has no column`)

const targetOf = (scope: FilterScope, { of }: FieldSubject): Sql =>
  columnIn(scope, of === 'service' ? of : 'device', 'id')

function compareType(column: 'title' | 'protocol', operator: Compare['operator'], literal: Compare['literal']): Sql {
  return sql`s.application = any(array(
    select t.id from ${typeValues(column)} where ${compareText(sql`t.value`, operator, literal)}))`
}

/** The database stores neither titles nor protocols, so the SQL contains those of all types. */
function typeValues(column: 'title' | 'protocol'): Sql {
  const ids = applicationTypes.map(({ id }) => id)
  const values = applicationTypes.map((type) => (column === 'title' ? type.name : type.protocol))
  return sql`unnest(${ids}::int[], ${values}::text[]) as t (id, value)`
}
