import { sql } from 'kysely'
import { expect, it, onTestFinished } from 'vitest'
import { webhookClient } from '../../../test/api/webhooks.ts'
import { sharedTestApp, type TestUser } from '../../../test/harness/app.ts'
import { startReceiver } from '../../../test/harness/webhook-receiver.ts'
import { limits } from '../../limits.ts'

const app = sharedTestApp({ worker: true, env: { MUSTER_WEBHOOK_ALLOW: '127.0.0.0/8' } })

const DEVICES = 30
const WEBHOOKS = 5
const MAX_BYTES = 4 * 1024 * 1024

async function registerLargeDevices(user: TestUser): Promise<string[]> {
  const register = 'mutation ($of: Object) { registerDevice(name: "boiler", attributes: $of) { device { id } } }'
  const log = Object.fromEntries(['a', 'b', 'c', 'd'].map((name) => [name, name.repeat(limits.valueBytes - 100)]))
  const ids: string[] = []
  for (let device = 0; device < DEVICES; device++)
    ids.push((await user.data(register, { of: { log } })).registerDevice.device.id)
  return ids
}

/**
 * Returns the total size of the deliveries that each transaction inserted. The result is correct only until the server
 * updates a delivery, because an update changes the row's `xmin`.
 */
async function bytesByTransaction({ accountId }: TestUser): Promise<number[]> {
  const { rows } = await sql<{ bytes: number }>`
    select sum(octet_length(body))::int as bytes from webhook_delivery
    where account_id = ${accountId} group by xmin::text`.execute(app.db)
  return rows.map(({ bytes }) => bytes)
}

it('creates one delivery of each large event per webhook, in small transactions', async () => {
  const [receiver, otherReceiver] = [await startReceiver(), await startReceiver()]
  onTestFinished(() => receiver.close())
  onTestFinished(() => otherReceiver.close())
  const [user, otherUser] = [await app.createUser(), await app.createUser()]
  const ids = await registerLargeDevices(user)
  const webhooks = Array.from({ length: WEBHOOKS }, () =>
    webhookClient(user, receiver).createWebhook(['ATTRIBUTE_CHANGE']),
  )
  for (const { id } of await Promise.all(webhooks))
    await app.db.updateTable('webhook').set({ paused: 'for inspection' }).where('id', '=', id).execute()
  await webhookClient(otherUser, otherReceiver).createWebhook()

  const items = ids.map((serviceId) => ({ serviceId, attributes: { log: null } }))
  await user.data('mutation ($items: [AttributesInput!]!) { setAttributesMany(items: $items) { code } }', { items })
  await webhookClient(otherUser, otherReceiver).register()
  await otherReceiver.waitFor(1)

  const bytes = await bytesByTransaction(user)
  const all = bytes.reduce((sum, each) => sum + each, 0)
  expect(all).toBeGreaterThan(DEVICES * WEBHOOKS * 60_000)
  // The event that exceeds the limit is the last event of its transaction.
  expect(Math.max(...bytes)).toBeLessThan(MAX_BYTES + WEBHOOKS * (limits.bytesPerTarget + 1_000))

  for (const { id } of await Promise.all(webhooks))
    await user.data('mutation ($id: ID!) { updateWebhook(id: $id, enabled: true) { id } }', { id })
  const messages = await receiver.waitFor(DEVICES * WEBHOOKS)
  expect(new Set(messages.map((message) => message.id)).size).toBe(DEVICES * WEBHOOKS)
  const times = Map.groupBy(messages, ({ body }) => body.data.device.id)
  expect([...times.keys()].sort()).toEqual([...ids].sort())
  expect([...times.values()].filter(({ length }) => length !== WEBHOOKS)).toEqual([])
}, 300_000)
