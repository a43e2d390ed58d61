import type { StoredTime } from '../../db/types.ts'
import type { List } from '../../graphql/lists/list.ts'
import type { Attributes, RawAttributes } from '../attributes/attributes.ts'

export type State = 'active' | 'inactive'

/** A device as the rest of the server sees it. */
export interface Device {
  id: string
  name: string
  hardwareId: string | null
  platform: string | null
  created: StoredTime
  state: State
  stateSince: StoredTime | null
  lastReported: StoredTime | null
  /** Base values, the reserved ones included. Omitted in lists whose documents do not select attributes. */
  attributes?: RawAttributes
  /** The reserved ones of them alone, where documents ask for no others. */
  reserved?: Attributes
}

export type DeviceList = List<Device>
