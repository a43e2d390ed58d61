import { type Database, query } from '../../db/database.ts'
import { reservedColumns } from './attributes.ts'

/** How many of the newest events are looked through for the last change of a name: bounds what the question costs. */
const EVENTS_LOOKED_THROUGH = 100_000

export interface AttributeNameRow {
  name: string
  devices: number
  services: number
}

const reservedNames = (condition: string) => `
  select 'device' as kind, l.device_id as id, reserved.name
  from device_live l
    join device t on t.account_id = l.account_id and t.id = l.device_id,
    lateral (values ${[...reservedColumns].map(([subName, column]) => `('$svc.${subName}', l.${column})`).join(', ')})
      as reserved (name, value)
  where l.account_id = $1 and reserved.value is not null and ${condition}`

const baseNames = (condition: string) => `
  select 'device' as kind, t.id, used.name from device t, attribute_names(t.attributes) as used
  where t.account_id = $1 and ${condition}
  union all${reservedNames(condition)}
  union all
  select 'service', t.id, used.name from service t, attribute_names(t.attributes) as used
  where t.account_id = $1 and ${condition}`

/** Only a target with overrides can have one name twice; sorting out the others would take most of the time. */
const listText = `
  with counted as (
    select kind, name, count(*) as targets from (${baseNames(`t.override_names = '{}'`)}) as once group by kind, name
    union all
    select kind, name, count(*) from (
      select kind, id, name from (${baseNames(`t.override_names <> '{}'`)}) as base
      union
      select case when d.id is null then 'service' else 'device' end, o.target_id, used.name
      from attribute_override o left join device d on d.account_id = o.account_id and d.id = o.target_id,
        attribute_names(o.attributes) as used
      where o.account_id = $1 and o.target_id <> $1
    ) as several group by kind, name
  )
  select name,
    coalesce(sum(targets) filter (where kind = 'device'), 0)::int as devices,
    coalesce(sum(targets) filter (where kind = 'service'), 0)::int as services
  from counted group by name order by name`

export const listNames = (db: Database, accountId: string) => query<AttributeNameRow>(db, listText, [accountId])

/** When names last changed on any device or service, as far as the newest events tell. */
export const findLastChanges = (db: Database, accountId: string) =>
  query<{ name: string; timestamp: Date }>(
    db,
    `select changed.name, max(e."timestamp") as "timestamp"
     from (
       select type, device_id, "timestamp", data from event
       where account_id = $1 order by id desc limit ${EVENTS_LOOKED_THROUGH}
     ) as e, lateral (
       select jsonb_object_keys(e.data -> 'changes') where e.type = 'ATTRIBUTE_CHANGE'
       union all
       select registered.name from attribute_names(e.data -> 'attributes') as registered where e.type = 'DEVICE_REGISTER'
     ) as changed (name)
     where e.device_id is not null
     group by changed.name`,
    [accountId],
  )
