import type { StoredTime } from '../../db/types.ts'
import type { RawAttributes } from '../attributes/attributes.ts'
import type { Device, State } from '../devices/device.ts'

/** A service as the rest of the server sees it; a device's bulk service is one whose id is its device's. */
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
  /** Base values. Left out of lists whose documents do not ask for attributes. */
  attributes?: RawAttributes
  /** The device, where it is at hand already. */
  device?: Device
}

/** What a device needs to know of a service to report for it. */
export interface ServiceName {
  id: string
  name: string
}
