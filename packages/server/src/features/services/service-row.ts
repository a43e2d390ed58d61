import { type RawBuilder, sql } from 'kysely'
import { rowsAsArrays } from '../../db/database.ts'
import type { StoredTime } from '../../db/type-parsers.ts'
import { RawJson } from '../../graphql/values/raw-json.ts'
import type { State } from '../devices/device.ts'
import type { Service } from './service.ts'

/**
 * A reference to the device (`of`), followed by a service's columns in the order of `serviceColumns`. Rows are arrays
 * because objects would repeat the column names in pages of thousands of rows.
 */
export type ServiceRow<Of> = readonly [
  of: Of,
  id: string,
  name: string,
  application: number,
  host: string | null,
  port: number | null,
  enabled: boolean,
  created: StoredTime,
  state: State,
  lastReported: StoredTime | null,
  /** The attributes as JSON, if the statement reads attributes. */
  attributes?: string,
]

export const servicesAsRows = sql.raw(rowsAsArrays)

const ofService = ['id', 'name', 'application', 'host', 'port', 'enabled', 'created'].map((name) => `s.${name}`)

/** A service that has never reported a state has no row in `live` and has its device's state. */
export const stateFrom = (deviceState: RawBuilder<unknown>) => sql`coalesce(live.state, ${deviceState})`

export const stateColumn = stateFrom(sql`device.state`)

/** Attributes can be much larger than the other columns, so they are read only if the document selects them. */
export const serviceColumns = (attributes: boolean, state = stateColumn) =>
  sql`${sql.raw(ofService.join(', '))}, ${state} as state, live.last_reported${sql.raw(attributes ? ', s.attributes::text' : '')}`

export function toService(row: ServiceRow<unknown>, deviceId: string): Service {
  const service: Service = {
    id: row[1],
    deviceId,
    name: row[2],
    application: row[3],
    host: row[4],
    port: row[5],
    enabled: row[6],
    created: row[7],
    state: row[8],
    lastReported: row[9],
  }
  if (row[10] !== undefined) service.attributes = new RawJson(row[10])
  return service
}
