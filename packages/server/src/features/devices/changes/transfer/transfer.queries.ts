import { type Database, query } from '../../../../db/database.ts'
import { limits } from '../../../../limits.ts'
import { reservedColumns } from '../../../attributes/attributes.ts'

/**
 * The IDs of the devices to move, and of the accounts that they leave (`from`) and join (`to`). The caller must have
 * locked the devices.
 */
export interface Transfer {
  from: string
  to: string
  ids: readonly string[]
}

interface Table {
  name: string
  /**
   * All columns except `account_id`, and except `process_id` of `device_hold`. `releaseDevices` has set `process_id` to
   * null.
   */
  columns: readonly string[]
  condition: string
}

const reserved = [...reservedColumns.values()]
const values = ['attributes', 'attribute_times']
const isOfDevice = 'device_id = any($3)'

/** Returns SQL for the IDs of devices and their services. `devices` is the placeholder of the device IDs. */
const targetsOf = (devices: string): string => `
  select unnest(${devices}::text[])
  union all
  select s.id from service s where s.account_id = $1 and s.device_id = any(${devices})`

/** The rows are copied in this order, so a table comes after the tables that its rows reference. */
const tables: readonly Table[] = [
  {
    name: 'device',
    columns: [
      ...['id', 'name', 'hardware_id', 'platform', 'created', 'secret_hash', 'reregister_until', 'override_names'],
      ...values,
    ],
    condition: 'id = any($3)',
  },
  {
    name: 'device_live',
    columns: ['device_id', 'state', 'state_since', 'last_reported', 'attribute_times', ...reserved],
    condition: isOfDevice,
  },
  { name: 'device_hold', columns: ['device_id', 'until'], condition: isOfDevice },
  {
    name: 'service',
    columns: [
      ...['id', 'device_id', 'name', 'application', 'host', 'port', 'enabled', 'created', 'added_by_device'],
      ...['override_names', ...values],
    ],
    condition: isOfDevice,
  },
  {
    name: 'service_live',
    columns: ['service_id', 'device_id', 'state', 'state_since', 'last_reported', 'until'],
    condition: isOfDevice,
  },
  {
    name: 'attribute_override',
    columns: ['target_id', 'context', ...values],
    condition: `target_id in (${targetsOf('$3')})`,
  },
]

export const movedTables: readonly string[] = tables.map(({ name }) => name)

const copyTexts = tables.map(({ name, columns, condition }) => {
  const list = columns.join(', ')
  return `insert into ${name} (account_id, ${list}) select $2, ${list} from ${name} where account_id = $1 and ${condition}`
})

/**
 * Copies the rows of devices, of their services, and of their overrides to another account. The transaction must
 * already have added the devices to that account's number of devices.
 */
export async function copyDeviceRows(db: Database, { from, to, ids }: Transfer): Promise<void> {
  for (const text of copyTexts) await query(db, text, [from, to, ids])
}

/** Locks the services of locked devices in ID order, so that no change to a service is lost. */
export const lockServicesToMove = (db: Database, accountId: string, deviceIds: readonly string[]) =>
  query(db, 'select from service where account_id = $1 and device_id = any($2) order by id for update', [
    accountId,
    deviceIds,
  ])

export async function countMovedBytes(db: Database, accountId: string, ids: readonly string[]): Promise<number> {
  const [row] = await query<{ bytes: string }>(db, bytesText, [accountId, ids])
  return Number(row!.bytes)
}

const bytesText = `
  select coalesce(sum(bytes), 0) as bytes from (
    select octet_length(attributes::text) as bytes from device where account_id = $1 and id = any($2)
    union all
    select octet_length(concat(${reserved.join(', ')})) from device_live where account_id = $1 and device_id = any($2)
    union all
    select octet_length(attributes::text) from service where account_id = $1 and device_id = any($2)
    union all
    select octet_length(attributes::text) from attribute_override
    where account_id = $1 and target_id in (${targetsOf('$2')})
  ) as counted`

export async function findNamesOfDevices(
  db: Database,
  accountId: string,
  ids: readonly string[],
): Promise<Map<string, string[]>> {
  const rows = await query<{ id: string; names: string[] }>(db, namesText, [accountId, ids, limits.attributeNames])
  return new Map(rows.map(({ id, names }) => [id, names]))
}

const namesText = `
  select d.id, array(
    select distinct name collate "C" from (
      select name from attribute_names(d.attributes)
      union all
      select reserved.name from device_live l,
        lateral (values ${[...reservedColumns].map(([subName, column]) => `('$svc.${subName}', l.${column})`).join(', ')})
          as reserved (name, value)
      where l.account_id = $1 and l.device_id = d.id and reserved.value is not null
      union all
      select used.name from service s, attribute_names(s.attributes) as used
      where s.account_id = $1 and s.device_id = d.id
      union all
      select used.name from attribute_override o, attribute_names(o.attributes) as used
      where o.account_id = $1 and o.target_id in (
        select d.id union all select s.id from service s where s.account_id = $1 and s.device_id = d.id)
    ) as used order by 1 limit $3) as names
  from device d where d.account_id = $1 and d.id = any($2)`

export async function findTakenHardwareId(
  db: Database,
  accountId: string,
  hardwareIds: readonly string[],
): Promise<string | undefined> {
  const [row] = await query<{ taken: string }>(
    db,
    'select hardware_id as taken from device where account_id = $1 and hardware_id = any($2) order by 1 limit 1',
    [accountId, hardwareIds],
  )
  return row?.taken
}
