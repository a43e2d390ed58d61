import type { StoredTime } from '../../db/types.ts'
import type { List } from '../../graphql/lists/paging.ts'
import type { Attributes, RawAttributes } from '../attributes/attributes.ts'

export type State = 'active' | 'inactive'

/** A device, as the rest of the server uses it. */
export interface Device {
  id: string
  name: string
  hardwareId: string | null
  platform: string | null
  created: StoredTime
  state: State
  stateSince: StoredTime | null
  lastReported: StoredTime | null
  /** Base values, including the reserved ones. Omitted from a list if the document does not select attributes. */
  attributes?: RawAttributes
  /** The reserved values, if the document selects no other attributes. */
  reserved?: Attributes
}

export type DeviceList = List<Device>
