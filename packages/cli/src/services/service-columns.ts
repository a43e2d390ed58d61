import type { Attributes, Selected } from '@muster/client'
import type { Column } from '../output/column.ts'
import { stateColor } from '../output/state-color.ts'

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

export interface ServiceRow extends Selected<'Service', typeof serviceFields> {
  created?: string
  contexts?: readonly string[]
  attributes?: Attributes
  device?: { id: string; name: string }
}

export const serviceColumns: readonly Column<ServiceRow>[] = [
  { name: 'id', value: ({ id }) => id, truncated: 'first' },
  { name: 'name', value: ({ name }) => name, truncated: 'last' },
  { name: 'device', value: ({ device }) => device?.name, truncated: 'last' },
  { name: 'type', value: ({ title }) => title },
  { name: 'host', value: ({ host }) => host },
  { name: 'port', value: ({ port }) => port },
  { name: 'protocol', value: ({ protocol }) => protocol },
  { name: 'enabled', value: ({ enabled }) => enabled },
  { name: 'state', value: ({ state }) => state, color: ({ state }) => stateColor(state) },
  { name: 'created', value: ({ created }) => created, time: true },
  { name: 'lastReported', value: ({ lastReported }) => lastReported, time: true },
  { name: 'deviceId', value: ({ device }) => device?.id, truncated: 'first' },
]
