import type { List } from '../../graphql/lists/paging.ts'
import type { Viewer } from '../../viewer.ts'
import type { EventTypeName, Target } from '../events/event-types.ts'
import type { StoredSelection } from '../judging/device-selection.ts'

/** A webhook without its encrypted secrets. */
export interface Webhook extends StoredSelection {
  id: string
  name: string | null
  url: string
  events: EventTypeName[]
  enabled: boolean
  /** Why deliveries are paused, or null if they are not paused. */
  paused: string | null
  /** Describes the failures of a receiver to which the server makes only one attempt a minute. Otherwise null. */
  failing: string | null
  created: Date
  /** Whether the webhook is paused because its view is invalid. */
  isViewBroken: boolean
  /** Set only in the results of creating the webhook and of rotating the secret. */
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

export const webhookTarget = ({ id, name, url }: Webhook): Target => ({ id, name: name ?? url, kind: 'webhook' })

export const serverViewer = (accountId: string): Viewer => ({ accountId, email: '', readOnly: false, isServer: true })
