import type { List } from '../../graphql/lists/list.ts'
import type { EventSource, EventTypeName, Target } from './event-types.ts'

/** An event as the rest of the server sees it. */
export interface Event {
  id: string
  type: EventTypeName
  timestamp: Date
  deviceId: string | null
  /** Id of the user who made the change; null if a device or the server did. */
  actorId: string | null
  /** What made the change; null for events that were recorded without a source. */
  source: EventSource | null
  targets: Target[]
  state: 'active' | 'inactive' | null
  data: Record<string, unknown>
}

export type EventList = List<Event>
