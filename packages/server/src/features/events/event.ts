import type { List } from '../../graphql/lists/paging.ts'
import type { EventSource, EventTypeName, Target } from './event-types.ts'

export interface Event {
  id: string
  type: EventTypeName
  timestamp: Date
  deviceId: string | null
  /** ID of the user who made the change; null if a device or the server made it. */
  actorId: string | null
  /** Null for events recorded without a source. */
  source: EventSource | null
  targets: Target[]
  state: 'active' | 'inactive' | null
  data: Record<string, unknown>
}

export type EventList = List<Event>
