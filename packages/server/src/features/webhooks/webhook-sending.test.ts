import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { call, create, run, setSite } from '../../../test/api/bulk-jobs.ts'
import { pollUntil, type WebhookClient, webhookClient } from '../../../test/api/webhooks.ts'
import { createAuthenticator } from '../../../test/clients/authenticator.ts'
import { newPerson, signIn } from '../../../test/clients/browser.ts'
import { sharedTestApp, type TestUser } from '../../../test/harness/app.ts'
import { type Receiver, startReceiver, verifyMessage } from '../../../test/harness/webhook-receiver.ts'

const app = sharedTestApp({
  worker: true,
  env: { MUSTER_WEBHOOK_ALLOW: '127.0.0.0/8', MUSTER_WEBHOOK_RETRIES: '1,1,1' },
})
let receiver: Receiver
let user: TestUser
let hooks: WebhookClient

beforeEach(async () => {
  receiver = await startReceiver()
  user = await app.createUser()
  hooks = webhookClient(user, receiver)
})
afterEach(() => receiver.close())

// On a slow machine, the server can miss a notification. A sweep or a job finds the delivery later.
const slow = { timeout: 300_000 }

describe('a delivery of a webhook', slow, () => {
  it('contains the event and a Standard Webhooks signature', async () => {
    const { id, secret } = await hooks.createWebhook()
    const device = await hooks.register()
    const [message] = await receiver.waitFor(1)
    expect(verifyMessage(secret, message!)).toEqual(message!.body)
    expect(message!.body).toMatchObject({
      type: 'device.register',
      data: { owner: { id: user.accountId, email: user.email }, device: { id: device, name: 'boiler' }, service: null },
    })
    expect(message!.id).toMatch(/^msg_[0-9a-f]{32}$/)
    expect(message!.headers['content-type']).toBe('application/json')
    const { items, total } = await hooks.finishedDeliveries(id)
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

  it('contains the old and new values of attributes and changed fields', async () => {
    await hooks.createWebhook(['ATTRIBUTE_CHANGE', 'DEVICE_UPDATE'])
    const device = await hooks.register()
    await hooks.setAttribute(device, 'net.ssid', 'lab')
    await hooks.setAttribute(device, 'net.ssid', null)
    await user.data('mutation ($id: String!) { updateDevice(deviceId: $id, name: "stove") { id } }', { id: device })
    const messages = await receiver.waitFor(3)
    const serialize = (change: { type: string; changes: object }) => JSON.stringify([change.type, change.changes])
    const changes = messages.map(({ body }) => serialize({ type: body.type, changes: body.data.changes }))
    expect(changes.sort()).toEqual(
      [
        { type: 'attribute.change', changes: { 'net.ssid': { new: 'lab', old: null } } },
        { type: 'attribute.change', changes: { 'net.ssid': { new: null, old: 'lab' } } },
        { type: 'device.update', changes: { name: { new: 'stove', old: 'boiler' } } },
      ]
        .map(serialize)
        .sort(),
    )
  })

  it('contains members of the event data even if the body has members with the same names', async () => {
    await hooks.createWebhook(['MEMBER_JOIN', 'PASSKEY_ADD'])
    const browser = await signIn(app, await newPerson(app))
    const { createInvitation } = await user.data('mutation { createInvitation(roleId: "viewer") { link } }')
    const token = createInvitation.link.split('#')[1]
    await browser.query(`mutation { acceptInvitation(token: "${token}") { id } }`)
    const response = createAuthenticator({ origin: app.url }).register(
      (await browser.auth('/passkey/generate-register-options')).body,
    )
    const { passkey } = (await browser.auth('/passkey/verify-registration', { response, name: 'laptop' })).body
    const messages = await receiver.waitFor(2)
    const bodies = Object.fromEntries(messages.map(({ body }) => [body.type, body.data]))
    expect(bodies['member.join']).toMatchObject({
      source: { kind: 'console' },
      role: 'viewer',
      data: { source: 'invitation' },
    })
    expect(bodies['passkey.add']).toMatchObject({
      id: expect.stringMatching(/^\d+$/),
      name: 'laptop',
      data: { id: passkey.id },
    })
  })

  it('contains the bulk job that made the change, and the state of an ended job', async () => {
    await hooks.createWebhook(['ATTRIBUTE_CHANGE', 'BULK_FINISH', 'BULK_UNDO'])
    const device = await hooks.register()
    const job = await create(user, { where: 'name:boiler' }, [setSite('rome')])
    await run(user, job)
    const undo = await call(user, 'undo', job.id)
    await run(user, undo)
    await hooks.setAttribute(device, 'site', 'oslo')
    const messages = await receiver.waitFor(6)
    const bodies = messages.map(({ body: { type, data } }) => [type, data.job, data.state])
    expect(bodies.sort()).toEqual(
      [
        ['attribute.change', job.id, null],
        ['attribute.change', undo.id, null],
        ['attribute.change', null, null],
        ['bulk.finish', job.id, 'DONE'],
        ['bulk.finish', undo.id, 'DONE'],
        ['bulk.undo', job.id, null],
      ].sort(),
    )
  })

  it("goes only to the account's webhooks that select its event type", async () => {
    await hooks.createWebhook(['DEVICE_DELETE'])
    const other = await app.createUser()
    const device = await hooks.register()
    await other.data('mutation { registerDevice(name: "foreign") { device { id } } }')
    await user.data('mutation ($id: String!) { deleteDevice(deviceId: $id) }', { id: device })
    await receiver.waitFor(1)
    await sleep(300)
    expect(receiver.received.map(({ body }) => body.type)).toEqual(['device.delete'])
  })

  it('is retried with the same ID and body, and with a new signature, until it succeeds', async () => {
    const { id, secret } = await hooks.createWebhook()
    let requests = 0
    receiver.respondWith((_message, response) => {
      response.statusCode = ++requests < 3 ? 500 : 204
      response.end(requests < 3 ? 'not now\u0000' : undefined)
    })
    await hooks.register()
    const messages = await receiver.waitFor(3)
    expect(new Set(messages.map((message) => message.id)).size).toBe(1)
    expect(new Set(messages.map(({ text }) => text)).size).toBe(1)
    for (const message of messages) verifyMessage(secret, message)
    expect(Number(messages[2]!.timestamp)).toBeGreaterThan(Number(messages[0]!.timestamp))
    const { items } = await hooks.finishedDeliveries(id)
    expect(items).toMatchObject([{ status: 'delivered', attempts: 3, httpStatus: 204, error: null }])
  })

  it('fails after the last attempt, is retained, and can be sent again', async () => {
    const { id } = await hooks.createWebhook()
    receiver.respondWith((_message, response) => {
      response.statusCode = 503
      response.end('x'.repeat(5_000))
    })
    await hooks.register()
    const failed = await hooks.finishedDeliveries(id)
    expect(failed.items).toMatchObject([
      {
        status: 'failed',
        attempts: 4,
        httpStatus: 503,
        response: 'x'.repeat(1_024),
        error: 'the receiver responded with status 503',
      },
    ])
    expect((await hooks.deliveries(id, '(failed: true)')).total).toBe(1)
    expect((await hooks.deliveries(id, '(failed: false)')).total).toBe(0)

    receiver.respondWith((_message, response) => void response.end('thanks'))
    const again = 'mutation ($id: ID!, $since: DateTime) { redeliver(webhookId: $id, since: $since) }'
    expect(await user.data(again, { id, since: '2020-01-01' })).toEqual({ redeliver: 1 })
    const { items } = await hooks.finishedDeliveries(id)
    expect(items).toMatchObject([{ status: 'delivered', attempts: 5, response: 'thanks' }])
    const one = 'mutation ($id: ID!, $one: ID!) { redeliver(webhookId: $id, deliveryId: $one) }'
    expect(await user.data(one, { id, one: items[0].id })).toEqual({ redeliver: 1 })
    const messages = await receiver.waitFor(6)
    expect(new Set(messages.map((message) => message.id)).size).toBe(1)
  })

  it('waits as long as the Retry-After header requests', async () => {
    const { id } = await hooks.createWebhook()
    receiver.respondWith((_message, response) => {
      response.writeHead(429, { 'retry-after': '3600' }).end()
    })
    const before = Date.now()
    await hooks.register()
    const { items } = await pollUntil(
      () => hooks.deliveries(id),
      ({ items }) => items[0]?.attempts === 1,
    )
    const wait = Date.parse(items[0].nextAttempt) - before
    expect(wait).toBeGreaterThan(3_590_000)
    expect(wait).toBeLessThan(3_700_000)
  })

  it('does not follow redirects', async () => {
    const { id } = await hooks.createWebhook()
    receiver.respondWith((_message, response) => {
      response.writeHead(302, { location: `${receiver.url}/elsewhere`, 'retry-after': '3600' }).end()
    })
    await hooks.register()
    const { items } = await pollUntil(
      () => hooks.deliveries(id),
      ({ items }) => items[0]?.attempts === 1,
    )
    expect(items).toMatchObject([
      { status: 'pending', httpStatus: 302, error: 'the receiver responded with status 302' },
    ])
    expect(receiver.received).toHaveLength(1)
  })
})

describe('the secret of a webhook after a rotation', slow, () => {
  it('signs deliveries together with the previous secret during the overlap', async () => {
    const { id, secret } = await hooks.createWebhook()
    const rotate = 'mutation ($id: ID!, $overlap: Int) { rotateWebhookSecret(id: $id, overlap: $overlap) { secret } }'
    const next = (await user.data(rotate, { id, overlap: 60 })).rotateWebhookSecret.secret
    await hooks.register()
    const [message] = await receiver.waitFor(1)
    expect(message!.signature.split(' ')).toHaveLength(2)
    verifyMessage(secret, message!)
    verifyMessage(next, message!)
    const last = (await user.data(rotate, { id, overlap: 0 })).rotateWebhookSecret.secret
    // The server detects the rotated secret within a second.
    const once = () => receiver.received.find(({ signature }) => !signature.includes(' '))
    while (once() === undefined) {
      const { length } = receiver.received
      await hooks.register()
      await receiver.waitFor(length + 1)
    }
    verifyMessage(last, once()!)
    expect(() => verifyMessage(next, once()!)).toThrow()
  })
})

describe('a second server', slow, () => {
  it('does not send deliveries that the first server also sends', async () => {
    const env = { MUSTER_WEBHOOK_ALLOW: '127.0.0.0/8' }
    const { id } = await hooks.createWebhook()
    const another = await app.startAnother({ worker: true, env })
    await Promise.all(Array.from({ length: 100 }, (_, index) => hooks.register(`d${index}`)))
    await hooks.finishedDeliveries(id, 100)
    await Promise.all(
      Array.from({ length: 100 }, (_, index) => webhookClient(another.as(user), receiver).register(`e${index}`)),
    )
    await receiver.waitFor(200)
    await pollUntil(
      () => hooks.deliveries(id, '(size: 1000)'),
      ({ items }) => items.length === 200 && items.every(({ status }: { status: string }) => status === 'delivered'),
    )
    expect(receiver.received).toHaveLength(200)
    expect(new Set(receiver.received.map(({ body }) => body.data.id)).size).toBe(200)
    await another.close()
  })
})
