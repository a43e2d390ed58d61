import type { StoredTime } from '../../db/types.ts'
import type { List } from '../../graphql/lists/paging.ts'
import type { RawAttributes } from '../attributes/attributes.ts'
import type { Device, State } from '../devices/device.ts'

/** A service, as the rest of the server uses it. A bulk service has the ID of its device. */
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
  /** Base values. Omitted from a list if the document does not select attributes. */
  attributes?: RawAttributes
  /** The device, if it is already loaded. */
  device?: Device
}

/** The service data that a device needs for its reports. */
export interface ServiceName {
  id: string
  name: string
}

export type ServiceList = List<Service>
