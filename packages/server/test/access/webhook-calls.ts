import { type Call, notFound, ofWrongKind, text, tries } from './call.ts'

const deliveries = (argument: string): string =>
  `{ login { webhooks { id deliveries(${argument}) { items { id request response event { id } } total } } } }`
const create = (url: string): string => `mutation { createWebhook(url: ${text(url)}, name: "x") { id url secret } }`
const update = (id: string): string =>
  `mutation { updateWebhook(id: ${text(id)}, name: "x", events: [DEVICE_UPDATE], enabled: false) { id name url } }`
const move = (id: string, url: string): string =>
  `mutation { updateWebhook(id: ${text(id)}, url: ${text(url)}) { id url } }`
const remove = (id: string): string => `mutation { deleteWebhook(id: ${text(id)}) }`
const rotate = (id: string): string => `mutation { rotateWebhookSecret(id: ${text(id)}, overlap: 0) { id secret } }`
const test = (id: string): string => `mutation { testWebhook(id: ${text(id)}) { id status request response } }`
const redeliver = (webhookId: string, deliveryId: string): string =>
  `mutation { redeliver(webhookId: ${text(webhookId)}, deliveryId: ${text(deliveryId)}) }`
const redeliverAll = (webhookId: string): string =>
  `mutation { redeliver(webhookId: ${text(webhookId)}, since: "2000-01-01") }`

export const webhookQueryCalls: Record<string, Call> = {
  'User.webhooks': {
    plain: () => '{ login { webhooks { id name url events enabled paused secret } } }',
    naming: {
      id: tries(
        { finds: { login: { webhooks: [] } } },
        ({ webhook, device }) => `{ login { webhooks(id: [${[webhook, device].map(text)}]) { id name url } } }`,
      ),
    },
  },
  'Webhook.deliveries': {
    plain: () => deliveries('size: 10'),
    naming: {
      after: [
        notFound(({ delivery }) => deliveries(`after: ${text(delivery)}`)),
        ofWrongKind(({ event }) => deliveries(`after: ${text(event)}`)),
        ofWrongKind(({ webhook }) => deliveries(`after: ${text(webhook)}`)),
        tries('own', ({ deliveryCursor }) => deliveries(`after: ${text(deliveryCursor)}`)),
      ],
      last: notFound(({ delivery }) => deliveries(`last: ${text(delivery)}`)),
    },
    others: ['size', 'from', 'failed'],
  },
}

export const webhookMutationCalls: Record<string, Call> = {
  'Mutation.createWebhook': {
    plain: ({ webhookUrl }) => create(webhookUrl),
    // Any number of webhooks may go to one address: who else has it must not show.
    naming: { url: tries('own', ({ webhookUrl }) => create(webhookUrl)) },
    others: ['events', 'name', 'enabled'],
  },
  'Mutation.updateWebhook': {
    plain: ({ webhook }) => update(webhook),
    naming: {
      id: [
        notFound(({ webhook }) => update(webhook)),
        notFound(({ webhook }, own) => move(webhook, own.webhookUrl)),
        ofWrongKind(({ delivery }) => update(delivery)),
        ofWrongKind(({ userId }) => update(userId)),
      ],
      url: tries('own', ({ webhookUrl }, own) => move(own.webhook, webhookUrl)),
    },
    others: ['events', 'name', 'enabled'],
  },
  'Mutation.deleteWebhook': {
    plain: ({ webhook }) => remove(webhook),
    naming: {
      id: [
        notFound(({ webhook }) => remove(webhook)),
        ofWrongKind(({ delivery }) => remove(delivery)),
        ofWrongKind(({ userId }) => remove(userId)),
      ],
    },
  },
  'Mutation.rotateWebhookSecret': {
    plain: ({ webhook }) => rotate(webhook),
    naming: {
      id: [notFound(({ webhook }) => rotate(webhook)), ofWrongKind(({ delivery }) => rotate(delivery))],
    },
    others: ['overlap'],
  },
  'Mutation.testWebhook': {
    plain: ({ webhook }) => test(webhook),
    naming: {
      id: [notFound(({ webhook }) => test(webhook)), ofWrongKind(({ delivery }) => test(delivery))],
    },
  },
  'Mutation.redeliver': {
    plain: ({ webhook, delivery }) => redeliver(webhook, delivery),
    naming: {
      webhookId: [
        notFound(({ webhook, delivery }) => redeliver(webhook, delivery)),
        notFound(({ webhook }, own) => redeliver(webhook, own.delivery)),
        notFound(({ webhook }) => redeliverAll(webhook)),
        ofWrongKind(({ delivery }) => redeliverAll(delivery)),
      ],
      deliveryId: [
        notFound(({ delivery }, own) => redeliver(own.webhook, delivery)),
        ofWrongKind(({ event }, own) => redeliver(own.webhook, event)),
      ],
    },
    others: ['since'],
  },
}
