import type { Column } from '../output/column.ts'

/** The service fields that lists show. */
export interface ServiceRow {
  id: string
  name: string
  title: string
  host: string | null
  port: number | null
  protocol: string
  enabled: boolean
  state: string
  device?: { id: string; name: string }
}

export const serviceColumns: readonly Column<ServiceRow>[] = [
  { name: 'id', value: ({ id }) => id, whole: true },
  { name: 'name', value: ({ name }) => name },
  { name: 'device', value: ({ device }) => device?.name },
  { name: 'type', value: ({ title }) => title },
  { name: 'host', value: ({ host }) => host },
  { name: 'port', value: ({ port }) => port },
  { name: 'protocol', value: ({ protocol }) => protocol },
  { name: 'enabled', value: ({ enabled }) => enabled },
  { name: 'state', value: ({ state }) => state },
  { name: 'deviceId', value: ({ device }) => device?.id, whole: true },
]
