import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp, type TestUser } from '../../../test/app.ts'
import { type Receiver, startReceiver, verifyMessage } from '../../../test/receiver.ts'

let app: TestApp
let receiver: Receiver
let user: TestUser

beforeAll(async () => {
  app = await startTestApp({
    worker: true,
    env: { MUSTER_WEBHOOK_ALLOW: '127.0.0.0/8', MUSTER_WEBHOOK_RETRIES: '1,1,1' },
  })
})
afterAll(() => app.close())
beforeEach(async () => {
  receiver = await startReceiver()
  user = await app.createUser()
})
afterEach(() => receiver.close())

const createWebhook = async (events = ['DEVICE_REGISTER', 'ATTRIBUTE_CHANGE', 'DEVICE_UPDATE']) =>
  (
    await user.data(
      'mutation ($url: String!, $events: [EventType!]) { createWebhook(url: $url, events: $events) { id secret } }',
      { url: receiver.url, events },
    )
  ).createWebhook as { id: string; secret: string }

const registerDocument = 'mutation ($name: String!) { registerDevice(name: $name) { device { id } } }'

const register = async (name = 'boiler'): Promise<string> =>
  (await user.data(registerDocument, { name })).registerDevice.device.id

const setAttribute = (deviceId: string, name: string, value: string | null) =>
  user.data(
    'mutation ($id: String!, $name: String!, $value: String) { setAttribute(serviceId: $id, name: $name, value: $value) }',
    {
      id: deviceId,
      name,
      value,
    },
  )

const deliveries = async (id: string, args = '') => {
  const { login } = await user.data(`{ login { webhooks { id paused enabled deliveries${args} { total items {
    id attempts status httpStatus duration error request response nextAttempt event { id type } } } } } }`)
  const webhook = login.webhooks.find((each: { id: string }) => each.id === id)
  return { ...webhook, ...webhook.deliveries }
}

/** Asks until it is so. */
async function until<Value>(ask: () => Promise<Value>, isSo: (value: Value) => boolean): Promise<Value> {
  for (;;) {
    const value = await ask()
    if (isSo(value)) return value
    await sleep(50)
  }
}

const settledDeliveries = (id: string, count = 1) =>
  until(
    () => deliveries(id),
    ({ items }) => items.length >= count && items.every(({ status }: { status: string }) => status !== 'pending'),
  )

describe('a delivery', () => {
  it('tells what happened, signed by Standard Webhooks', async () => {
    const { id, secret } = await createWebhook()
    const device = await register()
    const [message] = await receiver.waitFor(1)
    expect(verifyMessage(secret, message!)).toEqual(message!.body)
    expect(message!.body).toMatchObject({
      type: 'device.register',
      data: { owner: { id: user.accountId, email: user.email }, device: { id: device, name: 'boiler' }, service: null },
    })
    expect(message!.id).toMatch(/^msg_[0-9a-f]{32}$/)
    expect(message!.headers['content-type']).toBe('application/json')
    const { items, total } = await settledDeliveries(id)
    expect(total).toBe(1)
    expect(items[0]).toEqual({
      id: message!.id,
      attempts: 1,
      status: 'delivered',
      httpStatus: 200,
      duration: expect.any(Number),
      error: null,
      request: message!.text,
      response: '',
      nextAttempt: null,
      event: { id: message!.body.data.id, type: 'DEVICE_REGISTER' },
    })
  })

  it('tells of attributes with the old and the new value, and of changed fields', async () => {
    await createWebhook(['ATTRIBUTE_CHANGE', 'DEVICE_UPDATE'])
    const device = await register()
    await setAttribute(device, 'net.ssid', 'lab')
    await setAttribute(device, 'net.ssid', null)
    await user.data('mutation ($id: String!) { updateDevice(deviceId: $id, name: "stove") { id } }', { id: device })
    const messages = await receiver.waitFor(3)
    const told = (change: { type: string; changes: object }) => JSON.stringify([change.type, change.changes])
    const changes = messages.map(({ body }) => told({ type: body.type, changes: body.data.changes }))
    expect(changes.sort()).toEqual(
      [
        { type: 'attribute.change', changes: { 'net.ssid': { new: 'lab', old: null } } },
        { type: 'attribute.change', changes: { 'net.ssid': { new: null, old: 'lab' } } },
        { type: 'device.update', changes: { name: { new: 'stove', old: 'boiler' } } },
      ]
        .map(told)
        .sort(),
    )
  })

  it('goes to those alone that ask for its type, of its own account', async () => {
    await createWebhook(['DEVICE_DELETE'])
    const other = await app.createUser()
    const device = await register()
    await other.data('mutation { registerDevice(name: "foreign") { device { id } } }')
    await user.data('mutation ($id: String!) { deleteDevice(deviceId: $id) }', { id: device })
    await receiver.waitFor(1)
    await sleep(300)
    expect(receiver.received.map(({ body }) => body.type)).toEqual(['device.delete'])
  })

  it('is tried again with the same id and the same bytes until it succeeds, signed anew each time', async () => {
    const { id, secret } = await createWebhook()
    let requests = 0
    receiver.answer((_message, response) => {
      response.statusCode = ++requests < 3 ? 500 : 204
      response.end(requests < 3 ? 'not now\u0000' : undefined)
    })
    await register()
    const messages = await receiver.waitFor(3)
    expect(new Set(messages.map((message) => message.id)).size).toBe(1)
    expect(new Set(messages.map(({ text }) => text)).size).toBe(1)
    for (const message of messages) verifyMessage(secret, message)
    expect(Number(messages[2]!.timestamp)).toBeGreaterThan(Number(messages[0]!.timestamp))
    const { items } = await settledDeliveries(id)
    expect(items).toMatchObject([{ status: 'delivered', attempts: 3, httpStatus: 204, error: null }])
  })

  it('fails after the last attempt, is kept, and can be sent again', async () => {
    const { id } = await createWebhook()
    receiver.answer((_message, response) => {
      response.statusCode = 503
      response.end('x'.repeat(5_000))
    })
    await register()
    const failed = await settledDeliveries(id)
    expect(failed.items).toMatchObject([
      {
        status: 'failed',
        attempts: 4,
        httpStatus: 503,
        response: 'x'.repeat(1_024),
        error: 'the receiver answered 503',
      },
    ])
    expect((await deliveries(id, '(failed: true)')).total).toBe(1)
    expect((await deliveries(id, '(failed: false)')).total).toBe(0)

    receiver.answer((_message, response) => void response.end('thanks'))
    const again = 'mutation ($id: ID!, $since: DateTime) { redeliver(webhookId: $id, since: $since) }'
    expect(await user.data(again, { id, since: '2020-01-01' })).toEqual({ redeliver: 1 })
    const { items } = await settledDeliveries(id)
    expect(items).toMatchObject([{ status: 'delivered', attempts: 5, response: 'thanks' }])
    const one = 'mutation ($id: ID!, $one: ID!) { redeliver(webhookId: $id, deliveryId: $one) }'
    expect(await user.data(one, { id, one: items[0].id })).toEqual({ redeliver: 1 })
    const messages = await receiver.waitFor(6)
    expect(new Set(messages.map((message) => message.id)).size).toBe(1)
  })

  it('waits as long as Retry-After says', async () => {
    const { id } = await createWebhook()
    receiver.answer((_message, response) => {
      response.writeHead(429, { 'retry-after': '3600' }).end()
    })
    const before = Date.now()
    await register()
    const { items } = await until(
      () => deliveries(id),
      ({ items }) => items[0]?.attempts === 1,
    )
    const wait = Date.parse(items[0].nextAttempt) - before
    expect(wait).toBeGreaterThan(3_590_000)
    expect(wait).toBeLessThan(3_700_000)
  })

  it('does not follow redirects', async () => {
    const { id } = await createWebhook()
    receiver.answer((_message, response) => {
      response.writeHead(302, { location: `${receiver.url}/elsewhere`, 'retry-after': '3600' }).end()
    })
    await register()
    const { items } = await until(
      () => deliveries(id),
      ({ items }) => items[0]?.attempts === 1,
    )
    expect(items).toMatchObject([{ status: 'pending', httpStatus: 302, error: 'the receiver answered 302' }])
    expect(receiver.received).toHaveLength(1)
  })
})

describe('a receiver', () => {
  it('that answers 410 has its webhook disabled, with an event', async () => {
    const { id } = await createWebhook()
    receiver.answer((_message, response) => {
      response.statusCode = 410
      response.end()
    })
    await register()
    const webhook = await until(
      () => deliveries(id),
      ({ enabled }) => !enabled,
    )
    expect(webhook.items).toMatchObject([{ status: 'failed', attempts: 1, httpStatus: 410 }])
    const { login } = await user.data('{ login { events(types: [WEBHOOK_UPDATE]) { items { data actor { id } } } } }')
    expect(login.events.items).toEqual([{ data: { changes: { enabled: { old: true, new: false } } }, actor: null }])
    await register()
    await sleep(500)
    expect(receiver.received).toHaveLength(1)
  })

  it('that hangs holds up no other', async () => {
    const slow = await createWebhook()
    receiver.answer(() => {})
    await Promise.all(Array.from({ length: 20 }, () => register()))
    await receiver.waitFor(5)
    const prompt = await startReceiver()
    await user.data('mutation ($url: String!) { createWebhook(url: $url, events: [DEVICE_REGISTER]) { id } }', {
      url: prompt.url,
    })
    await Promise.all(Array.from({ length: 20 }, () => register()))
    await prompt.waitFor(20)
    expect(receiver.received).toHaveLength(5)
    await user.data('mutation ($id: ID!) { deleteWebhook(id: $id) }', { id: slow.id })
    await prompt.close()
  })

  it('that keeps failing is left alone but for one attempt a minute', async () => {
    const { id } = await createWebhook()
    receiver.answer((_message, response) => {
      response.statusCode = 500
      response.end()
    })
    await Promise.all(Array.from({ length: 40 }, () => register()))
    const webhook = await until(
      () => deliveries(id),
      ({ paused, items }) => paused !== null && items.length === 40,
    )
    expect(webhook.paused).toMatch(/one a minute/)
    await sleep(2_000)
    // Ten failures open it; those under way at that moment end as well.
    expect(receiver.received.length).toBeGreaterThanOrEqual(10)
    expect(receiver.received.length).toBeLessThanOrEqual(14)
    expect(
      (await deliveries(id)).items.filter(({ attempts }: { attempts: number }) => attempts === 0).length,
    ).toBeGreaterThan(20)

    receiver.answer((_message, response) => void response.end())
    await user.data('mutation ($id: ID!) { updateWebhook(id: $id, enabled: true) { id } }', { id })
    const { items, paused } = await settledDeliveries(id, 40)
    expect(paused).toBeNull()
    expect(items.every(({ status }: { status: string }) => status === 'delivered')).toBe(true)
  })

  it('that has failed for five days has its webhook paused; what is held back goes out once it goes on', async () => {
    const { id } = await createWebhook()
    receiver.answer((_message, response) => {
      response.statusCode = 500
      response.end()
    })
    await app.db
      .updateTable('webhook_sending')
      .set({ failing_since: new Date(Date.now() - 5 * 86_400_000 - 1_000), failures: 1 })
      .where('webhook_id', '=', id)
      .execute()
    await register()
    const webhook = await until(
      () => deliveries(id),
      ({ paused }) => paused !== null,
    )
    expect(webhook.paused).toMatch(/5 days/)
    const { login } = await user.data(
      '{ login { events(types: [WEBHOOK_PAUSE]) { items { actor { id } target { id kind } } } } }',
    )
    expect(login.events.items).toEqual([{ actor: null, target: [{ id, kind: 'webhook' }] }])
    receiver.answer((_message, response) => void response.end())
    await register()
    const { items } = await until(
      () => deliveries(id),
      (found) => found.items.length === 2,
    )
    await sleep(500)
    const seen = receiver.received.length
    expect(items.map(({ status }: { status: string }) => status)).toEqual(['pending', 'pending'])
    await user.data('mutation ($id: ID!) { updateWebhook(id: $id, enabled: true) { id } }', { id })
    await settledDeliveries(id, 2)
    expect(receiver.received.length).toBe(seen + 2)
  })
})

describe('a rotated secret', () => {
  it('signs beside the former one for the time of the overlap', async () => {
    const { id, secret } = await createWebhook()
    const rotate = 'mutation ($id: ID!, $overlap: Int) { rotateWebhookSecret(id: $id, overlap: $overlap) { secret } }'
    const next = (await user.data(rotate, { id, overlap: 60 })).rotateWebhookSecret.secret
    await register()
    const [message] = await receiver.waitFor(1)
    expect(message!.signature.split(' ')).toHaveLength(2)
    verifyMessage(secret, message!)
    verifyMessage(next, message!)
    const last = (await user.data(rotate, { id, overlap: 0 })).rotateWebhookSecret.secret
    await register()
    const [, second] = await receiver.waitFor(2)
    verifyMessage(last, second!)
    expect(() => verifyMessage(next, second!)).toThrow()
    expect(second!.signature.split(' ')).toHaveLength(1)
  })
})

describe('another server', () => {
  it('sends on what one left, and each delivery once while both run', async () => {
    const env = { MUSTER_WEBHOOK_ALLOW: '127.0.0.0/8' }
    const { id } = await createWebhook()
    const another = await app.startAnother({ worker: true, env })
    await Promise.all(
      Array.from({ length: 100 }, (_, index) => app.as(user).query(registerDocument, { name: `d${index}` })),
    )
    await settledDeliveries(id, 100)
    await Promise.all(
      Array.from({ length: 100 }, (_, index) => another.as(user).query(registerDocument, { name: `e${index}` })),
    )
    await receiver.waitFor(200)
    await until(
      () => deliveries(id, '(size: 1000)'),
      ({ items }) => items.length === 200 && items.every(({ status }: { status: string }) => status === 'delivered'),
    )
    expect(receiver.received).toHaveLength(200)
    expect(new Set(receiver.received.map(({ body }) => body.data.id)).size).toBe(200)
    await another.close()
  })
})
