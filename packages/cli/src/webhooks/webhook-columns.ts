import type { Webhook, WebhookDelivery } from '@muster/client'
import type { Column } from '../output/column.ts'
import { stateColor } from '../output/state-color.ts'

export type WebhookRow = Omit<Webhook, 'secret' | 'view'> & { view: { id: string; name: string } | null }

export const webhookFields = {
  id: true,
  name: true,
  url: true,
  events: true,
  enabled: true,
  paused: true,
  created: true,
  where: true,
  view: { id: true, name: true },
  context: true,
} as const

export const webhookColumns: readonly Column<WebhookRow>[] = [
  { name: 'id', value: ({ id }) => id, truncated: 'first' },
  { name: 'name', value: ({ name }) => name, truncated: 'last' },
  { name: 'url', value: ({ url }) => url },
  { name: 'events', value: ({ events }) => events.join(',') },
  { name: 'enabled', value: ({ enabled }) => enabled },
  { name: 'paused', value: ({ paused }) => paused },
  { name: 'created', value: ({ created }) => created, time: true },
  { name: 'where', value: ({ where }) => where },
  { name: 'view', value: ({ view }) => view?.name },
  { name: 'context', value: ({ context }) => context },
]

export type DeliveryRow = Omit<WebhookDelivery, 'event'> & { event: { id: string; type: string } | null }

export const deliveryFields = {
  id: true,
  status: true,
  attempts: true,
  httpStatus: true,
  duration: true,
  error: true,
  created: true,
  nextAttempt: true,
  request: true,
  response: true,
  event: { id: true, type: true },
} as const

export const deliveryColumns: readonly Column<DeliveryRow>[] = [
  { name: 'id', value: ({ id }) => id, truncated: 'first' },
  { name: 'created', value: ({ created }) => created, time: true },
  { name: 'event', value: ({ event }) => event?.type },
  { name: 'status', value: ({ status }) => status, color: ({ status }) => stateColor(status) },
  { name: 'attempts', value: ({ attempts }) => attempts },
  { name: 'httpStatus', value: ({ httpStatus }) => httpStatus },
  { name: 'milliseconds', value: ({ duration }) => duration },
  { name: 'nextAttempt', value: ({ nextAttempt }) => nextAttempt, time: true },
  { name: 'error', value: ({ error }) => error },
  { name: 'request', value: ({ request }) => request },
  { name: 'response', value: ({ response }) => response },
]
