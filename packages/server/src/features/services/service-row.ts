import { sql } from 'kysely'
import type { Attributes } from '../attributes/attributes.ts'
import type { State } from '../devices/device.ts'
import type { Service } from './service.ts'

/** What is read of `service s` for a service. */
export interface ServiceRow {
  id: string
  device_id: string
  name: string
  application: number
  host: string | null
  port: number | null
  enabled: boolean
  created: Date
  state: State
  last_reported: Date | null
  attributes?: Attributes
}

const ofService = ['id', 'device_id', 'name', 'application', 'host', 'port', 'enabled', 'created']

/** Attributes may take many times what the rest takes: they are read where a document asks for them. */
export const serviceColumns = (attributes: boolean) =>
  sql.raw((attributes ? [...ofService, 'attributes'] : ofService).map((name) => `s.${name}`).join(', '))

/** A service that never reported, for which there is no row `live`, follows its device, whose state is `device.state`. */
export const stateColumn = sql`coalesce(live.state, device.state)`

export const stateColumns = sql`${stateColumn} as state, live.last_reported`

export const joinLive = sql`left join service_live live on live.account_id = s.account_id and live.service_id = s.id`

export function toService(row: ServiceRow): Service {
  const service: Service = {
    id: row.id,
    deviceId: row.device_id,
    name: row.name,
    application: row.application,
    host: row.host,
    port: row.port,
    enabled: row.enabled,
    created: row.created,
    state: row.state,
    lastReported: row.last_reported,
  }
  if (row.attributes !== undefined) service.attributes = row.attributes
  return service
}
