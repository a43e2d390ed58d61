import { sql } from 'kysely'
import { expect } from 'vitest'
import type { TestApp, TestUser } from '../harness/app.ts'
import type { Receiver } from '../harness/webhook-receiver.ts'

const allEvents = `[DEVICE_REGISTER, DEVICE_UPDATE, DEVICE_DELETE, DEVICE_STATE, ATTRIBUTE_CHANGE, SERVICE_ADD, SERVICE_REMOVE,
  VIEW_CREATE, WEBHOOK_UPDATE]`

/** Returns a webhook argument with a filter that also matches the device `end`, for which `received` waits. */
export const withEnd = (where: string): string => `where: ${JSON.stringify(`(${where}) OR name = end`)}`

/** Creates a webhook for the event types in `allEvents`, with the additional arguments `args`. Returns its ID. */
export async function createWebhook(user: TestUser, receiver: Receiver, args = ''): Promise<string> {
  const document = `mutation { createWebhook(url: "${receiver.url}", events: ${allEvents}${args === '' ? '' : `, ${args}`}) { id } }`
  return (await user.data(document)).createWebhook.id
}

export const createView = async (user: TestUser, args: string): Promise<string> =>
  (await user.data(`mutation { createView(${args}) { id } }`)).createView.id

export async function register(user: TestUser, name: string, attributes: object = {}): Promise<string> {
  const document =
    'mutation ($name: String!, $attributes: Object) { registerDevice(name: $name, attributes: $attributes) { device { id } } }'
  return (await user.data(document, { name, attributes })).registerDevice.device.id
}

/** Sends a document. Returns the code and the message of its first error, or `no error` and an empty message. */
export async function errorOf(user: TestUser, document: string): Promise<[code: string, message: string]> {
  const { errors } = await user.query(document)
  return [errors?.[0]?.extensions.code ?? 'no error', errors?.[0]?.message ?? '']
}

/**
 * Registers a device that matches any filter with `OR name = end`, and waits for its message. Returns the device name
 * and the event type of each other message, in the order of the events.
 */
export async function received(app: TestApp, user: TestUser, receiver: Receiver): Promise<string[]> {
  await register(user, 'end')
  await receiver.waitFor(1, ({ body }) => body.data.device?.name === 'end')
  await receiveAll(app, user, receiver)
  return receiver.received
    .filter(({ body }) => body.data.device?.name !== 'end')
    .map(({ body }) => `${body.data.device?.name} ${body.type}`)
}

/**
 * Waits until no message to the receiver is pending. Then sorts the received messages by the IDs of their events,
 * because messages can arrive in any order.
 */
export async function receiveAll(app: TestApp, user: TestUser, receiver: Receiver): Promise<void> {
  const pending = sql`select from webhook join webhook_delivery using (account_id) where webhook.account_id = ${user.accountId}
    and url = ${receiver.url} and webhook_delivery.webhook_id = webhook.id and status = 'pending'`
  await expect.poll(async () => (await pending.execute(app.db)).rows.length).toBe(0)
  receiver.received.sort((one, other) => Number(one.body.data.id) - Number(other.body.data.id))
}
