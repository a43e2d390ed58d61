import { type Database, query } from '../../db/database.ts'
import { limits } from '../../limits.ts'
import { type AttributeName, joinAttributeName } from './attribute-name.ts'
import { reservedColumns } from './attributes.ts'

export interface BaseWrite {
  accountId: string
  targetId: string
  actorId: string | null
  name: AttributeName
  /** null removes. */
  value: string | null
}

/** Sets one base attribute of a device. False: not without breaking a rule; undefined: no such device. */
export const setOnDevice = (db: Database, write: BaseWrite) => run(db, onDeviceText, write)

/** Sets one base attribute of a service. False: not without breaking a rule; undefined: no such service. */
export const setOnService = (db: Database, write: BaseWrite) => run(db, onServiceText, write)

/** Sets one base attribute of the account. False: not without breaking a rule. */
export const setOnAccount = (db: Database, write: BaseWrite) => run(db, onAccountText, write)

/** Sets one of the ten reserved values of a device. False: not without breaking a rule; undefined: no such device. */
export const setReserved = (db: Database, write: BaseWrite) => run(db, onLiveTexts.get(write.name[1]!)!, write)

async function run(db: Database, text: string, write: BaseWrite): Promise<boolean | undefined> {
  const { accountId, targetId, actorId, name, value } = write
  const [first, subName = null] = name
  const parameters = [accountId, targetId, first, subName, value, joinAttributeName(name), actorId]
  const [row] = await query<{ allowed: boolean }>(db, text, parameters)
  return row?.allowed
}

/**
 * The whole change in one statement. `target` locks the row first, so that `change` is judged from the newest version of
 * it and two writers never lose each other's value; the event's number is drawn after that. Nothing is written where the
 * value is there already. In `change`, $3 and $4 are the two levels of the name and $5 is the value.
 */
const statement = (parts: {
  target: string
  old: string
  next: string
  write: string
  conflict: string
  allowed: string
}) => `
  with target as (${parts.target}
  ), judged as materialized (
    select *, ${parts.old} as old, ${parts.conflict} as conflict from target
  ), merged as materialized (
    select *, case when not conflict then ${parts.next} end as next from judged
  ), change as materialized (
    select *, not conflict and ($5::text is null or (${parts.allowed})) as allowed from merged
  ), written as (${parts.write} and change.allowed and change.old is distinct from $5::text
    returning 1
  ), recorded as (
    insert into event (account_id, type, device_id, actor_id, targets, data)
    select $1, 'ATTRIBUTE_CHANGE', change.device_id, $7, change.targets, jsonb_build_object('context', null,
      'changes', jsonb_build_object($6::text, jsonb_build_object('old', change.old, 'new', $5::text)))
    from written, change
  )
  select allowed from change`

const old = `case when $4::text is null then attributes ->> $3::text else attributes -> $3::text ->> $4::text end`

// Removing a group whole is no conflict, but is left to the transaction as well: it changes many names.
const conflict = `
      coalesce(jsonb_typeof(attributes -> $3::text) = case when $4::text is null then 'object' else 'string' end
        and ($4::text is null or $5::text is not null), false)
      or coalesce(override_names -> $3::text ->> 0 = case when $4::text is null then 'group' else 'value' end
        and $5::text is not null, false)`

const next = `case
      when $4::text is null and $5::text is null then attributes - $3::text
      when $4::text is null then attributes || jsonb_build_object($3::text, $5::text)
      when $5::text is not null then attributes ||
        jsonb_build_object($3::text, coalesce(attributes -> $3::text, '{}') || jsonb_build_object($4::text, $5::text))
      when jsonb_typeof(attributes -> $3::text) is distinct from 'object' then attributes
      when (attributes -> $3::text) - $4::text = '{}' then attributes - $3::text
      else attributes || jsonb_build_object($3::text, (attributes -> $3::text) - $4::text)
    end`

/** Names are counted for a new one only; `reserved` is what the other row holds and counts too. */
const withinLimits = (reserved: { count: string; attributes: string }) =>
  `(old is not null or attribute_count(attributes) + ${reserved.count} < ${limits.namesPerTarget})
      and octet_length((next || ${reserved.attributes})::text) <= ${limits.bytesPerTarget}`

const none = { count: '0', attributes: `'{}'` }

const updateRow = (table: string, id: string) => `
    update ${table} t set attributes = change.next from change where t.account_id = $1 and t.${id} = $2`

const columns = [...reservedColumns.values()].map((column) => `l.${column}`).join(', ')

const reservedGroup = `jsonb_strip_nulls(jsonb_build_object(${[...reservedColumns]
  .map(([subName, column]) => `'${subName}', l.${column}`)
  .join(', ')}))`

const deviceTarget = (more: string) => `
    select d.id as device_id, d.attributes, d.override_names,
      jsonb_build_array(jsonb_build_object('id', d.id, 'name', d.name, 'kind', 'device')) as targets,
      num_nonnulls(${columns}) as reserved_count, ${reservedGroup} as reserved${more}
    from device d join device_live l on l.account_id = d.account_id and l.device_id = d.id
    where d.account_id = $1 and d.id = $2 for no key update of d, l`

const onDeviceText = statement({
  target: deviceTarget(''),
  old,
  conflict,
  next,
  allowed: withinLimits({
    count: 'reserved_count',
    attributes: `case reserved_count when 0 then '{}' else jsonb_build_object('$svc', reserved) end`,
  }),
  write: updateRow('device', 'id'),
})

const onLiveTexts = new Map(
  [...reservedColumns].map(([subName, column]) => [
    subName,
    statement({
      target: deviceTarget(`, l.${column} as old_value`),
      old: 'old_value',
      conflict: 'false',
      next: `attributes || jsonb_build_object($3::text, reserved || jsonb_build_object($4::text, $5::text))`,
      allowed: withinLimits({ ...none, count: 'reserved_count' }),
      write: `
    update device_live t set ${column} = $5::text from change where t.account_id = $1 and t.device_id = $2`,
    }),
  ]),
)

const onServiceText = statement({
  target: `
    select s.device_id, s.attributes, s.override_names, jsonb_build_array(
      jsonb_build_object('id', s.id, 'name', s.name, 'kind', 'service'),
      jsonb_build_object('id', d.id, 'name', d.name, 'kind', 'device')) as targets
    from service s join device d on d.account_id = s.account_id and d.id = s.device_id
    where s.account_id = $1 and s.id = $2 for no key update of s`,
  old,
  conflict,
  next,
  allowed: withinLimits(none),
  write: updateRow('service', 'id'),
})

const onAccountText = statement({
  target: `
    select null as device_id, attributes, override_names,
      jsonb_build_array(jsonb_build_object('id', id, 'name', coalesce(name, email), 'kind', 'user')) as targets
    from account where id = $1 and id = $2 for no key update`,
  old,
  conflict,
  next,
  allowed: withinLimits(none),
  write: `
    update account t set attributes = change.next from change where t.id = $1 and t.id = $2`,
})
