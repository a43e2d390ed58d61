import type { StoredTime } from '../../db/type-parsers.ts'
import type { List } from '../../graphql/lists/paging.ts'
import type { RawAttributes } from '../attributes/attributes.ts'
import type { Device, State } from '../devices/device.ts'

/** A bulk service has its device's ID. */
export interface Service {
  id: string
  deviceId: string
  name: string
  application: number
  host: string | null
  port: number | null
  enabled: boolean
  created: StoredTime
  state: State
  lastReported: StoredTime | null
  /** Omitted if the attributes were not read. */
  attributes?: RawAttributes
  device?: Device
}

export interface ServiceName {
  id: string
  name: string
}

export type ServiceList = List<Service>
