import { setTimeout as sleep } from 'node:timers/promises'
import type { TestUser } from '../harness/app.ts'
import type { Receiver } from '../harness/webhook-receiver.ts'

/** Acts as a user whose webhooks all use one receiver. */
export interface WebhookClient {
  createWebhook(events?: string[]): Promise<{ id: string; secret: string }>
  register(name?: string): Promise<string>
  setAttribute(deviceId: string, name: string, value: string | null): Promise<unknown>
  deliveries(id: string, args?: string): Promise<WebhookWithDeliveries>
  /** Waits for at least `count` deliveries (default 1), none of them pending, and returns the webhook. */
  finishedDeliveries(id: string, count?: number): Promise<WebhookWithDeliveries>
}

// biome-ignore lint/suspicious/noExplicitAny: each test knows the fields that it reads
type WebhookWithDeliveries = any

const create =
  'mutation ($url: String!, $events: [EventType!]) { createWebhook(url: $url, events: $events) { id secret } }'
const add = 'mutation ($name: String!) { registerDevice(name: $name) { device { id } } }'
const set =
  'mutation ($id: String!, $name: String!, $value: String) { setAttribute(serviceId: $id, name: $name, value: $value) }'

export function webhookClient(user: TestUser, receiver: Receiver): WebhookClient {
  const deliveries: WebhookClient['deliveries'] = async (id, args = '') => {
    const { login } = await user.data(`{ login { webhooks { id paused enabled deliveries${args} { total items {
      id attempts status httpStatus duration error request response nextAttempt event { id type } } } } } }`)
    const webhook = login.webhooks.find((each: { id: string }) => each.id === id)
    return { ...webhook, ...webhook.deliveries }
  }
  return {
    deliveries,
    createWebhook: async (events = ['DEVICE_REGISTER', 'ATTRIBUTE_CHANGE', 'DEVICE_UPDATE']) =>
      (await user.data(create, { url: receiver.url, events })).createWebhook,
    register: async (name = 'boiler') => (await user.data(add, { name })).registerDevice.device.id,
    setAttribute: (id, name, value) => user.data(set, { id, name, value }),
    finishedDeliveries: (id, count = 1) =>
      pollUntil(
        () => deliveries(id),
        ({ items }) => items.length >= count && items.every(({ status }: { status: string }) => status !== 'pending'),
      ),
  }
}

/** Calls `read` until its result meets the condition. Returns the result. Only the test timeout limits the wait. */
export async function pollUntil<Value>(
  read: () => Promise<Value>,
  condition: (value: Value) => boolean,
): Promise<Value> {
  for (;;) {
    const value = await read()
    if (condition(value)) return value
    await sleep(50)
  }
}
