import type { StoredTime } from '../../db/type-parsers.ts'
import type { List } from '../../graphql/lists/paging.ts'
import { limits } from '../../limits.ts'
import type { Attributes, RawAttributes } from '../attributes/attributes.ts'

export type State = 'active' | 'inactive'

/** All fields are strings, and all except the name can be null. */
export const deviceFields = {
  name: { column: 'name', maxLength: limits.deviceNameLength },
  hardwareId: { column: 'hardware_id', maxLength: limits.hardwareIdLength },
  platform: { column: 'platform', maxLength: limits.platformLength },
} as const

export type FieldName = keyof typeof deviceFields

export type DeviceFields = { name: string } & Record<Exclude<FieldName, 'name'>, string | null>

export interface Device extends DeviceFields {
  id: string
  created: StoredTime
  state: State
  stateSince: StoredTime | null
  lastReported: StoredTime | null
  /** Present only if all attributes were read. */
  attributes?: RawAttributes
  /** Present only if the reserved values were read without the other attributes. */
  reserved?: Attributes
}

export type DeviceList = List<Device>
