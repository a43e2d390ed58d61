import type { List } from '../../graphql/lists/paging.ts'
import type { EventSource, EventTypeName, Target } from './event-types.ts'

export interface Event {
  id: string
  type: EventTypeName
  timestamp: Date
  deviceId: string | null
  /** Null for state events, failed sign-ins, and changes by a device or the server. */
  actorId: string | null
  /** Null if the event was recorded without a source. */
  source: EventSource | null
  targets: Target[]
  state: 'active' | 'inactive' | null
  data: Record<string, unknown>
}

export type EventList = List<Event>
