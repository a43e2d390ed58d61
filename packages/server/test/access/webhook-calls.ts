import { attempt, type Call, literal, notFound, ofWrongKind } from './call.ts'

const deliveries = (argument: string): string =>
  `{ login { webhooks { id deliveries(${argument}) { items { id request response event { id } } total } } } }`
const create = (url: string): string => `mutation { createWebhook(url: ${literal(url)}, name: "x") { id url secret } }`
const update = (id: string): string =>
  `mutation { updateWebhook(id: ${literal(id)}, name: "x", events: [DEVICE_UPDATE], enabled: false) { id name url } }`
const move = (id: string, url: string): string =>
  `mutation { updateWebhook(id: ${literal(id)}, url: ${literal(url)}) { id url } }`
const createWith = (url: string, args: string): string =>
  `mutation { createWebhook(url: ${literal(url)}, ${args}) { id where view { id name } } }`
const updateWith = (id: string, args: string): string =>
  `mutation { updateWebhook(id: ${literal(id)}, ${args}) { id where view { id name } } }`
const inView = (view: string): string => `where: ${literal(`view("${view}")`)}`
const remove = (id: string): string => `mutation { deleteWebhook(id: ${literal(id)}) }`
const rotate = (id: string): string => `mutation { rotateWebhookSecret(id: ${literal(id)}, overlap: 0) { id secret } }`
const test = (id: string): string => `mutation { testWebhook(id: ${literal(id)}) { id status request response } }`
const redeliver = (webhookId: string, deliveryId: string): string =>
  `mutation { redeliver(webhookId: ${literal(webhookId)}, deliveryId: ${literal(deliveryId)}) }`
const redeliverAll = (webhookId: string): string =>
  `mutation { redeliver(webhookId: ${literal(webhookId)}, since: "2000-01-01") }`

export const webhookQueryCalls: Record<string, Call> = {
  'User.webhooks': {
    plain: () => '{ login { webhooks { id name url events enabled paused secret } } }',
    naming: {
      id: attempt(
        { finds: { login: { webhooks: [] } } },
        ({ webhook, device }) => `{ login { webhooks(id: [${[webhook, device].map(literal)}]) { id name url } } }`,
      ),
    },
  },
  'Webhook.deliveries': {
    plain: () => deliveries('size: 10'),
    naming: {
      after: [
        notFound(({ delivery }) => deliveries(`after: ${literal(delivery)}`)),
        ofWrongKind(({ event }) => deliveries(`after: ${literal(event)}`)),
        ofWrongKind(({ webhook }) => deliveries(`after: ${literal(webhook)}`)),
        attempt('own', ({ deliveryCursor }) => deliveries(`after: ${literal(deliveryCursor)}`)),
      ],
      last: notFound(({ delivery }) => deliveries(`last: ${literal(delivery)}`)),
    },
    others: ['size', 'from', 'failed'],
  },
}

export const webhookMutationCalls: Record<string, Call> = {
  'Mutation.createWebhook': {
    plain: ({ webhookUrl }) => create(webhookUrl),
    // Several webhooks can have the same URL. The response must not show that another user uses the URL.
    naming: {
      url: attempt('own', ({ webhookUrl }) => create(webhookUrl)),
      view: [
        notFound(({ view }, own) => createWith(own.webhookUrl, `view: ${literal(view)}`)),
        ofWrongKind(({ webhook }, own) => createWith(own.webhookUrl, `view: ${literal(webhook)}`)),
      ],
      where: notFound(({ view }, own) => createWith(own.webhookUrl, inView(view))),
    },
    others: ['events', 'name', 'enabled', 'context'],
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
      url: attempt('own', ({ webhookUrl }, own) => move(own.webhook, webhookUrl)),
      view: [
        notFound(({ view }, own) => updateWith(own.webhook, `view: ${literal(view)}`)),
        ofWrongKind(({ webhook }, own) => updateWith(own.webhook, `view: ${literal(webhook)}`)),
      ],
      where: notFound(({ view }, own) => updateWith(own.webhook, inView(view))),
    },
    others: ['events', 'name', 'enabled', 'context'],
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
