import type { FilterKind } from '@muster/filter'
import type { EventSource, Target } from '../events/event-types.ts'

/** Maps the values of FilterKind in the API to the names that the filter package uses. */
export const filterKinds = { DEVICES: 'device', SERVICES: 'service', EVENTS: 'event' } as const satisfies Record<
  string,
  FilterKind
>

export type ViewKind = keyof typeof filterKinds

export interface ViewColumn {
  name: string
  label: string | null
  width: number | null
}

export interface View {
  id: string
  name: string
  description: string | null
  kind: ViewKind
  /** The filter in canonical form, or null if the view has no filter. */
  where: string | null
  context: string | null
  sortBy: string[]
  columns: ViewColumn[]
  labels: string[]
  isShared: boolean
  created: Date
  updated: Date
  source: EventSource
  /** The ID of the person who created the view, or null if the person was not recorded. */
  creatorId: string | null
  version: number
}

export const viewTarget = ({ id, name }: View): Target => ({ id, name, kind: 'view' })
