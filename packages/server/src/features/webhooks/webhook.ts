import type { List } from '../../graphql/lists/list.ts'
import type { EventTypeName } from '../events/event-types.ts'

/** A webhook as the rest of the server sees it: everything but its secrets. */
export interface Webhook {
  id: string
  name: string | null
  url: string
  events: EventTypeName[]
  enabled: boolean
  /** Why deliveries are paused, if they are. */
  paused: string | null
  created: Date
  /** Only set if it was just created. */
  secret?: string
}

export type DeliveryStatus = 'pending' | 'delivered' | 'failed'

export interface WebhookDelivery {
  id: string
  webhookId: string
  eventId: string | null
  attempts: number
  status: DeliveryStatus
  httpStatus: number | null
  duration: number | null
  error: string | null
  request: string
  response: string | null
  created: Date
  nextAttempt: Date | null
}

export type WebhookDeliveryList = List<WebhookDelivery>
