import type { List } from '../../graphql/lists/paging.ts'
import type { EventSource, EventTypeName, Target } from './event-types.ts'

/** An event as used by the rest of the server. */
export interface Event {
  id: string
  type: EventTypeName
  timestamp: Date
  deviceId: string | null
  /** Id of the user who made the change; null if a device or the server made it. */
  actorId: string | null
  /** The source of the change; null for events that were recorded without one. */
  source: EventSource | null
  targets: Target[]
  state: 'active' | 'inactive' | null
  data: Record<string, unknown>
}

export type EventList = List<Event>
