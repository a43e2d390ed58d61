import type { Target } from '../events/record.ts'
import type { Webhook } from './webhook.ts'

export const webhookTarget = ({ id, name, url }: Webhook): Target => ({ id, name: name ?? url, kind: 'webhook' })
