import type { Attributes } from '@muster/client'
import { findAttribute } from '../attributes/names.ts'
import type { Column } from '../output/column.ts'

/** The device fields that lists show. */
export interface DeviceRow {
  id: string
  name: string
  state: string
  stateSince: string | null
  hardwareId: string | null
  platform: string | null
  created: string
  lastReported: string | null
  attributes?: Attributes
}

export const rowFields = {
  id: true,
  name: true,
  state: true,
  stateSince: true,
  hardwareId: true,
  platform: true,
  created: true,
  lastReported: true,
} as const

export const serviceFields = {
  id: true,
  name: true,
  application: true,
  title: true,
  host: true,
  port: true,
  protocol: true,
  enabled: true,
  state: true,
  lastReported: true,
} as const

export const deviceColumns: readonly Column<DeviceRow>[] = [
  { name: 'name', value: ({ name }) => name },
  { name: 'state', value: ({ state }) => state },
  { name: 'stateSince', value: ({ stateSince }) => stateSince, time: true },
  { name: 'platform', value: ({ platform }) => platform },
  { name: 'hardwareId', value: ({ hardwareId }) => hardwareId },
  { name: 'created', value: ({ created }) => created, time: true },
  { name: 'lastReported', value: ({ lastReported }) => lastReported, time: true },
  { name: 'id', value: ({ id }) => id, whole: true },
]

export const usualDeviceColumns = ['id', 'name', 'state', 'platform', 'lastReported']

/** Returns the column of an attribute. Any name that is not a device column is an attribute name. */
export const attributeColumn = (name: string): Column<DeviceRow> => ({
  name,
  value: ({ attributes }) => findAttribute(attributes ?? {}, name.replace(/^attributes\./, '')),
})
