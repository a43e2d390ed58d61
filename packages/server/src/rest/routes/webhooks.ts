import { defineRoutes } from '../route.ts'

export const webhookRoutes = defineRoutes({
  'GET /webhooks': {
    summary: 'Lists webhooks, newest first.',
    document: 'query listWebhooks { login { items: webhooks { ...Webhook } } }',
    at: 'login',
  },
  'POST /webhooks': {
    summary: 'Creates a webhook. Only this response contains the signing secret.',
    document: `mutation createWebhook(
      $url: String!, $events: [EventType!], $name: String, $enabled: Boolean! = true, $where: String, $view: ID
      $context: String
    ) {
      createWebhook(
        url: $url, events: $events, name: $name, enabled: $enabled, where: $where, view: $view, context: $context
      ) { ...WebhookWithSecret }
    }`,
    at: 'createWebhook',
    location: '/webhooks/{id}',
  },
  'GET /webhooks/{id}': {
    summary: 'Returns a webhook.',
    document: 'query getWebhook($id: ID!) { login { webhooks(id: [$id]) { ...Webhook } } }',
    at: 'login.webhooks[0]',
  },
  'PATCH /webhooks/{id}': {
    summary:
      'Changes a webhook. Omitted fields stay unchanged. null clears name, where, view, or context. If enabled is true or url is new, paused deliveries resume. If an invalid view paused the deliveries, a new where, view, or context also resumes them.',
    document: `mutation updateWebhook(
      $id: ID!, $url: String, $events: [EventType!], $name: String, $enabled: Boolean, $where: String, $view: ID
      $context: String
    ) {
      updateWebhook(
        id: $id, url: $url, events: $events, name: $name, enabled: $enabled, where: $where, view: $view, context: $context
      ) { ...Webhook }
    }`,
    at: 'updateWebhook',
  },
  'DELETE /webhooks/{id}': {
    summary: 'Deletes a webhook and its deliveries.',
    document: 'mutation deleteWebhook($id: ID!) { deleteWebhook(id: $id) }',
    status: 204,
  },
  'POST /webhooks/{id}/secret': {
    summary:
      'Replaces the signing secret of a webhook. Only this response contains the new secret. For the number of seconds in overlap (0 to 604,800), the server signs deliveries with both the new and the previous secret.',
    document: `mutation rotateWebhookSecret($id: ID!, $overlap: Int = 86400) {
      rotateWebhookSecret(id: $id, overlap: $overlap) { ...WebhookWithSecret }
    }`,
    at: 'rotateWebhookSecret',
  },
  'POST /webhooks/{id}/test': {
    summary:
      'Sends a test event to a webhook in one attempt, even if the webhook is disabled or paused, and returns the result.',
    document: 'mutation testWebhook($id: ID!) { testWebhook(id: $id) { ...WebhookDelivery } }',
    at: 'testWebhook',
  },
  'GET /webhooks/{id}/deliveries': {
    summary: "Lists a webhook's deliveries, newest first, one page at a time.",
    document: `query listDeliveries(
      $id: ID!, $size: Int = 100, $from: Int, $after: ID, $last: String, $failed: Boolean, $total: Boolean! = true
    ) {
      login {
        webhooks(id: [$id]) {
          deliveries(size: $size, from: $from, after: $after, last: $last, failed: $failed) {
            items { ...WebhookDelivery } total @include(if: $total) hasMore last cursor
          }
        }
      }
    }`,
    at: 'login.webhooks[0].deliveries',
  },
  'POST /webhooks/{id}/redeliver': {
    summary:
      'Resends one delivery (deliveryId), or all failed deliveries created since a given time (since). Pass exactly one of deliveryId and since. Returns the number of deliveries to resend. If the webhook is disabled or paused, the response is CONFLICT.',
    document: `mutation redeliver($id: ID!, $deliveryId: ID, $since: DateTime) {
      count: redeliver(webhookId: $id, deliveryId: $deliveryId, since: $since)
    }`,
  },
})
