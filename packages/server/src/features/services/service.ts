import type { StoredTime } from '../../db/types.ts'
import type { RawAttributes } from '../attributes/attributes.ts'
import type { Device, State } from '../devices/device.ts'

/** A service as used by the rest of the server. A bulk service has the id of its device. */
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
  /** Base values. Omitted in lists whose documents do not select attributes. */
  attributes?: RawAttributes
  /** The device, if it is already loaded. */
  device?: Device
}

/** The data of a service that its device needs for reports. */
export interface ServiceName {
  id: string
  name: string
}
