import { limits } from '../../../limits.ts'
import { eventTargets } from '../../events/event-insert.ts'
import { reservedColumns } from '../attributes.ts'

// These SQL expressions are parts of the statements that `setAttribute` runs.

export const attributeChange = ({
  name,
  old,
  value,
  time,
}: { [Part in 'name' | 'old' | 'value' | 'time']: string }) => ({
  accountId: '$1',
  type: `'ATTRIBUTE_CHANGE'`,
  data: `jsonb_build_object('context', null,
      'changes', jsonb_build_object(${name}, jsonb_build_object('old', ${old}, 'new', ${value})))`,
  previous: `case when ${time} is not null then jsonb_build_object(${name}, ${time}) end`,
})

interface ChangeColumns {
  name: string
  subName: string
  fullName: string
  value: string
  /** The string or group that is stored under the first level of the name, or null. */
  present: string
  /** The stored time of the value, in the format of `attribute_times`. */
  time: string
  /** `group` or `value` if a context overrides the first level of the name. Null if none does. */
  override: string
}

/**
 * A change's time, with the precision of events. The expression does not use `clock_timestamp()`, because the rules for
 * a cluster (docs/guides/citus.md) forbid volatile functions in updates.
 */
export const now = 'statement_timestamp()::timestamptz(3)'

const milliseconds = (time: string): string => `(date_part('epoch', ${time}) * 1000)::bigint`

/**
 * Returns an SQL expression that is true if the statement records the time of a write that does not change the value.
 * The statement records at most four such times per expected interval. Writes that change the value do not look up the
 * interval.
 */
export const isConfirmed = ({ fullName, value, time }: ChangeColumns): string => `
      case when old = ${value} then coalesce(coalesce(attribute_confirmed(jsonb_build_object(${fullName}, ${time}), ${fullName}), 0)
        <= ${milliseconds('statement_timestamp()')} - 250 * (
          select f.seconds from freshness f where f.account_id = $1 and f.name = ${fullName}), false) else false end`

/** Returns an SQL expression for the new time of the value, in the format of `attribute_times`. */
export const timeOf = ({ fullName, value, time }: ChangeColumns): string => `case
        when old is distinct from ${value} then to_jsonb(${milliseconds('at')})
        when confirmed then jsonb_build_array(attribute_changed(jsonb_build_object(${fullName}, ${time}), ${fullName}), ${milliseconds('at')})
        else ${time} end`

export const oldOf = ({ subName, present }: ChangeColumns): string =>
  `case when ${subName} is null then ${present} #>> '{}' else ${present} ->> ${subName} end`

/**
 * Returns an SQL expression that is true if the change would use a name as both a value and a group. Removing a group
 * changes many names, so the statement treats the removal like a conflict and leaves it to the transaction.
 */
export const conflictOf = ({ subName, value, present, override }: ChangeColumns): string => `
      coalesce(jsonb_typeof(${present}) = case when ${subName} is null then 'object' else 'string' end
        and (${subName} is null or ${value} is not null), false)
      or coalesce(${override} = case when ${subName} is null then 'group' else 'value' end
        and ${value} is not null, false)`

export const asParameters: ChangeColumns = {
  name: '$3::text',
  subName: '$4::text',
  fullName: '$6::text',
  value: '$5::text',
  present: '(attributes -> $3::text)',
  time: '(attribute_times -> $6::text)',
  override: '(override_names -> $3::text ->> 0)',
}

export const asRows: ChangeColumns = {
  name: 'name',
  subName: 'sub_name',
  fullName: 'full_name',
  value: 'value',
  present: 'present',
  time: 'time',
  override: 'override',
}

/**
 * Names are counted only if the change adds a name. `reserved` describes the names in device_live, which also count
 * toward the limits.
 */
export const withinLimits = (reserved: { count: string; attributes: string }) =>
  `(old is not null or attribute_count(attributes) + ${reserved.count} < ${limits.namesPerTarget})
      and octet_length((next || ${reserved.attributes})::text) <= ${limits.bytesPerTarget}`

export const none = { count: '0', attributes: `'{}'` }

const columns = [...reservedColumns.values()].map((column) => `l.${column}`).join(', ')

const reservedGroup = `jsonb_strip_nulls(jsonb_build_object(${[...reservedColumns]
  .map(([subName, column]) => `'${subName}', l.${column}`)
  .join(', ')}))`

export const withReserved = `case reserved_count when 0 then '{}' else jsonb_build_object('$svc', reserved) end`

/**
 * Concatenating an empty object decompresses a stored value once. Otherwise, each lookup of a single name would
 * decompress it again.
 */
export const deviceTarget = ({ more = '', times = 'd.attribute_times', isOne = 'd.id = $2' } = {}) => `
    select d.id as device_id, d.attributes || '{}' as attributes, d.override_names, ${times} || '{}' as attribute_times,
      ${eventTargets({ id: 'd.id', name: 'd.name', kind: 'device' })} as targets,
      num_nonnulls(${columns}) as reserved_count, ${reservedGroup} as reserved${more}
    from device d join device_live l on l.account_id = d.account_id and l.device_id = d.id
    where d.account_id = $1 and ${isOne} for no key update of d, l`
