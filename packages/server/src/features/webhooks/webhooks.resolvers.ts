import { schemaPart } from '../../graphql/assemble.ts'
import { done } from '../../graphql/done.ts'
import { loadView } from '../views/load-view.ts'
import { loadDeliveredEvent, loadDeliveries } from './deliveries.loaders.ts'
import { redeliver } from './deliveries.ts'
import { testWebhook } from './send-test-event.ts'
import { createWebhook, deleteWebhook, listWebhooks, rotateWebhookSecret, updateWebhook } from './webhooks.ts'

export const webhooksPart = schemaPart(new URL('./webhooks.graphql', import.meta.url), {
  User: {
    webhooks: (_user, { id }, context) => listWebhooks(context, id),
  },
  Webhook: {
    paused: ({ paused, failing }) => paused ?? failing,
    secret: ({ secret }) => secret ?? null,
    view: ({ viewId }, _args, context) => (viewId === null ? null : loadView(context, viewId)),
    deliveries: (webhook, args, context) => loadDeliveries(context, args, webhook.id),
  },
  WebhookDelivery: {
    event: ({ eventId }, _args, context) => (eventId === null ? null : loadDeliveredEvent(context, eventId)),
  },
  Mutation: {
    createWebhook: (_parent, input, context) => createWebhook(context, input),
    updateWebhook: (_parent, change, context) => updateWebhook(context, change),
    deleteWebhook: (_parent, { id }, context) => done(deleteWebhook(context, id)),
    rotateWebhookSecret: (_parent, { id, overlap }, context) => rotateWebhookSecret(context, id, overlap ?? 86_400),
    testWebhook: (_parent, { id }, context) => testWebhook(context, id),
    redeliver: (_parent, input, context) => redeliver(context, input),
  },
})
