import { setTimeout as sleep } from 'node:timers/promises'
import type { TestUser } from '../harness/app.ts'
import type { Receiver } from '../harness/webhook-receiver.ts'

/** What a user does with webhooks that go to a receiver, and what these tell of. */
export interface Hooks {
  createWebhook(events?: string[]): Promise<{ id: string; secret: string }>
  /** Answers the id of the device. */
  register(name?: string): Promise<string>
  setAttribute(deviceId: string, name: string, value: string | null): Promise<unknown>
  /** The webhook with its deliveries. */
  deliveries(id: string, args?: string): Promise<HookSeen>
  /** The same once there are so many, none of them pending. */
  settledDeliveries(id: string, count?: number): Promise<HookSeen>
}

// biome-ignore lint/suspicious/noExplicitAny: as a test's documents answer it
type HookSeen = any

const create =
  'mutation ($url: String!, $events: [EventType!]) { createWebhook(url: $url, events: $events) { id secret } }'
const add = 'mutation ($name: String!) { registerDevice(name: $name) { device { id } } }'
const set =
  'mutation ($id: String!, $name: String!, $value: String) { setAttribute(serviceId: $id, name: $name, value: $value) }'

export function hooksOf(user: TestUser, receiver: Receiver): Hooks {
  const deliveries: Hooks['deliveries'] = async (id, args = '') => {
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
    settledDeliveries: (id, count = 1) =>
      until(
        () => deliveries(id),
        ({ items }) => items.length >= count && items.every(({ status }: { status: string }) => status !== 'pending'),
      ),
  }
}

/** Asks until it is so; a test that waits in vain ends by its own time limit. */
export async function until<Value>(ask: () => Promise<Value>, isSo: (value: Value) => boolean): Promise<Value> {
  for (;;) {
    const value = await ask()
    if (isSo(value)) return value
    await sleep(50)
  }
}
