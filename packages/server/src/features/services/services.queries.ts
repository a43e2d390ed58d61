import type { ResolvedFilter } from '@muster/filter'
import { sql } from 'kysely'
import { sortable, valueIn } from '../../db/attribute-expressions.ts'
import type { Database } from '../../db/database.ts'
import { naturally } from '../../db/natural-order.ts'
import { plainArray } from '../../db/plain-array.ts'
import { allOf, isAnyOf, missingLast } from '../../db/sorted-page.ts'
import { contains } from '../../db/text-match.ts'
import type { State } from '../devices/device.ts'
import type { Sql } from '../filters/sql/filter-scope.ts'
import { isInside } from '../filters/sql/reachable-devices.ts'
import { joinServiceLive } from '../filters/sql/value-source.ts'
import type { Service, ServiceName } from './service.ts'
import { type ServiceRow, serviceColumns, servicesAsRows, stateColumn, toService } from './service-row.ts'
import type { ServiceFilter, ServiceOrder } from './services-of-device-arguments.ts'

/** Omits unknown IDs, other accounts' services, and services of devices that `inside` does not match. */
export async function selectServices(
  db: Database,
  accountId: string,
  { ids, attributes, inside }: { ids: readonly string[]; attributes: boolean; inside: ResolvedFilter | undefined },
): Promise<Service[]> {
  const conditions = [
    sql`s.account_id = ${accountId}`,
    isAnyOf(sql`s.id`, ids),
    ...isInside(accountId, inside, sql`s.device_id`),
  ]
  const { rows } = await sql<ServiceRow<string>>`${servicesAsRows}
    select s.device_id, ${serviceColumns(attributes)}
    from service s join device_live device on device.account_id = s.account_id and device.device_id = s.device_id
    ${joinServiceLive}
    where ${allOf(conditions)}`.execute(db)
  return rows.map((row) => toService(row, row[0]))
}

export interface ServicesOfDevices {
  devices: readonly { id: string; state: State }[]
  filter: ServiceFilter
  order: ServiceOrder
  attributes: boolean
}

/**
 * Returns a list of matching services for each device, in the order of `devices`. If the services are ordered by name,
 * an index avoids a sort.
 */
export async function selectServicesOfDevices(
  db: Database,
  accountId: string,
  { devices, filter, order, attributes }: ServicesOfDevices,
): Promise<Service[][]> {
  const ids = devices.map(({ id }) => id)
  const states = devices.map(({ state }) => state)
  const { rows } = await sql<ServiceRow<number>>`${servicesAsRows}
    select device.position::int, found.*
    from unnest(${ids}::text[], ${states}::text[]) with ordinality as device (id, state, position)
    cross join lateral (
      select ${serviceColumns(attributes)} from service s ${joinServiceLive}
      where s.account_id = ${accountId} and s.device_id = device.id and ${matching(filter)}
      order by ${orderBy(order)}
    ) as found`.execute(db)
  const found = ids.map((): Service[] => [])
  for (const row of rows) found[row[0] - 1]!.push(toService(row, ids[row[0] - 1]!))
  return found
}

export interface WrittenServices extends Omit<ServicesOfDevices, 'attributes'> {
  json: Sql
}

/**
 * The position of a device, counted from 1; the JSON of the device's matching services; and the number of these
 * services. The JSON consists of objects separated by commas. It is null if no service matches.
 */
export type WrittenServicesRow = readonly [position: number, services: string | null, count: number]

export async function writeServicesOfDevices(
  db: Database,
  accountId: string,
  { devices, filter, order, json }: WrittenServices,
): Promise<WrittenServicesRow[]> {
  const ids = plainArray(devices.map(({ id }) => id))
  const states = plainArray(devices.map(({ state }) => state))
  const { rows } = await sql<WrittenServicesRow>`${servicesAsRows}
    select device.position::int, found.services, found.count
    from unnest(${ids}::text[], ${states}::text[]) with ordinality as device (id, state, position)
    cross join lateral (
      select string_agg(one.json, ',') as services, count(*)::int as count from (
        select ${json} as json from service s ${joinServiceLive}
        where s.account_id = ${accountId} and s.device_id = device.id and ${matching(filter)}
        order by ${orderBy(order)}
      ) as one
    ) as found`.execute(db)
  return rows
}

function matching({ name, state, applications }: ServiceFilter): Sql {
  const conditions: Sql[] = [sql`true`]
  if (name !== undefined) conditions.push(contains(sql`s.name`, name))
  if (state !== undefined) conditions.push(sql`${stateColumn} = ${state}`)
  if (applications !== undefined) conditions.push(sql`s.application = any(${applications})`)
  return allOf(conditions)
}

const fieldKeys = {
  name: naturally(sql`s.name`),
  created: sql`s.created`,
  state: stateColumn,
  application: sql`s.application`,
  port: sql`s.port`,
}

/** Returns the terms of ORDER BY. Missing values come last. The ID breaks ties, in the direction of the sort. */
function orderBy({ by, direction }: ServiceOrder): Sql {
  const byId = sql`s.id ${sql.raw(direction)}`
  if (by === 'id') return byId
  const key = typeof by === 'string' ? fieldKeys[by] : naturally(sortable(valueIn(sql`s.attributes`, by)))
  return sql`${missingLast(key, direction, typeof by !== 'string' || by === 'port')}, ${byId}`
}

export async function selectServiceNames(db: Database, accountId: string, deviceId: string): Promise<ServiceName[]> {
  const { rows } = await sql<ServiceName>`
    select id, name from service where account_id = ${accountId} and device_id = ${deviceId} order by id`.execute(db)
  return rows
}
