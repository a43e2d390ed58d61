import type { Attributes, Selected } from '@muster/client'
import type { Column } from '../output/column.ts'
import { stateColor } from '../output/state-color.ts'
import type { ServiceRow } from '../services/service-columns.ts'

export interface DeviceRow extends Selected<'Device', typeof rowFields> {
  owner?: { email: string }
  contexts?: readonly string[]
  services?: readonly ServiceRow[]
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

export const deviceColumns: readonly Column<DeviceRow>[] = [
  { name: 'name', value: ({ name }) => name, truncated: 'last' },
  { name: 'state', value: ({ state }) => state, color: ({ state }) => stateColor(state) },
  { name: 'stateSince', value: ({ stateSince }) => stateSince, time: true },
  { name: 'platform', value: ({ platform }) => platform },
  { name: 'hardwareId', value: ({ hardwareId }) => hardwareId },
  { name: 'created', value: ({ created }) => created, time: true },
  { name: 'lastReported', value: ({ lastReported }) => lastReported, time: true },
  { name: 'id', value: ({ id }) => id, truncated: 'first' },
]

export const usualDeviceColumns = ['id', 'name', 'state', 'platform', 'lastReported']
