import type { StoredTime } from '../../db/types.ts'
import type { List } from '../../graphql/lists/list.ts'
import type { Attributes, RawAttributes } from '../attributes/attributes.ts'

export type State = 'active' | 'inactive'

/** A device as used by the rest of the server. */
export interface Device {
  id: string
  name: string
  hardwareId: string | null
  platform: string | null
  created: StoredTime
  state: State
  stateSince: StoredTime | null
  lastReported: StoredTime | null
  /** Base values, including the reserved ones. Omitted in lists whose documents do not select attributes. */
  attributes?: RawAttributes
  /** Only the reserved values, if a document selects no others. */
  reserved?: Attributes
}

export type DeviceList = List<Device>
