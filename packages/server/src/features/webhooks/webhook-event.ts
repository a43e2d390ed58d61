import type { Target } from '../events/event-types.ts'
import type { Webhook } from './webhook.ts'

export const webhookTarget = ({ id, name, url }: Webhook): Target => ({ id, name: name ?? url, kind: 'webhook' })
