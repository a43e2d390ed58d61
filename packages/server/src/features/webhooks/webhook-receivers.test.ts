import type { ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { pollUntil, type WebhookClient, webhookClient } from '../../../test/api/webhooks.ts'
import { sharedTestApp, type TestUser } from '../../../test/harness/app.ts'
import { repeatUntilFast } from '../../../test/harness/repeat-until-fast.ts'
import { type Receiver, startReceiver } from '../../../test/harness/webhook-receiver.ts'

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

// On a slow machine, the server can miss a notification. A sweep or a job then finds the delivery later.
const slow = { timeout: 300_000 }

const setUrl = 'mutation ($id: ID!, $url: String!) { updateWebhook(id: $id, url: $url) { id } }'

/** Delays the next attempt of a failed delivery until after the test. */
const withoutRetry = { 'retry-after': '3600' }

/** Makes the receiver delay its responses. The returned function sends the delayed responses. */
function delayResponses(at: Receiver): (status: number, headers?: Record<string, string>) => void {
  const waiting: ServerResponse[] = []
  at.respondWith((_message, response) => void waiting.push(response))
  return (status, headers = {}) => {
    for (const response of waiting) response.writeHead(status, headers).end()
  }
}

describe('the receiver of a webhook', slow, () => {
  it('disables its webhook by responding with 410, and the server records an event', async () => {
    const { id } = await hooks.createWebhook()
    receiver.respondWith((_message, response) => {
      response.statusCode = 410
      response.end()
    })
    await hooks.register()
    const webhook = await hooks.finishedDeliveries(id)
    expect(webhook).toMatchObject({ enabled: false, items: [{ status: 'failed', attempts: 1, httpStatus: 410 }] })
    const { login } = await user.data('{ login { events(types: [WEBHOOK_UPDATE]) { items { data actor { id } } } } }')
    expect(login.events.items).toEqual([{ data: { changes: { enabled: { old: true, new: false } } }, actor: null }])
    await hooks.register()
    await sleep(500)
    expect(receiver.received).toHaveLength(1)
  })

  it('does not disable the webhook with a late 410 after its URL was replaced, and the delivery goes to the new URL', async () => {
    const { id } = await hooks.createWebhook()
    const end = delayResponses(receiver)
    await hooks.register()
    await receiver.waitFor(1)
    const next = await startReceiver()
    onTestFinished(() => next.close())
    await user.data(setUrl, { id, url: next.url })
    end(410)
    const webhook = await hooks.finishedDeliveries(id)
    expect(webhook).toMatchObject({ enabled: true, items: [{ status: 'delivered', attempts: 2, httpStatus: 200 }] })
    expect(next.received.map((message) => message.id)).toEqual(receiver.received.map((message) => message.id))
  })

  it('does not affect the circuit breaker of its replacement by failing late', async () => {
    const { id } = await hooks.createWebhook()
    const end = delayResponses(receiver)
    await Promise.all(Array.from({ length: 4 }, () => hooks.register()))
    await receiver.waitFor(4)
    const next = await startReceiver()
    onTestFinished(() => next.close())
    next.respondWith((_message, response) => {
      const isFailing = next.received.length <= 6
      response.writeHead(isFailing ? 500 : 200, withoutRetry).end()
    })
    await user.data(setUrl, { id, url: next.url })
    await Promise.all(Array.from({ length: 6 }, () => hooks.register()))
    // Deliveries to the new receiver prove that the server has detected the change.
    await next.waitFor(6)
    // If the failures of the previous receiver counted, the new receiver would have 10 consecutive failures, at which
    // the circuit opens.
    end(500, withoutRetry)
    const { paused } = await pollUntil(
      () => hooks.deliveries(id),
      ({ items }) => items.length === 10 && items.every(({ attempts }: { attempts: number }) => attempts > 0),
    )
    expect(paused).toBeNull()
  })

  it('does not delay other receivers if it hangs', async () => {
    // An attempt times out after 15 seconds and is retried, so repeat the steps until they take less than 12 seconds.
    const attempts = await repeatUntilFast(12_000, async () => {
      const [hanging, prompt] = [await startReceiver(), await startReceiver()]
      onTestFinished(() => hanging.close())
      onTestFinished(() => prompt.close())
      hanging.respondWith(() => {})
      const owner = await app.createUser()
      const { id } = await webhookClient(owner, hanging).createWebhook()
      const { createWebhook, register } = webhookClient(owner, prompt)
      await Promise.all(Array.from({ length: 20 }, () => register()))
      await hanging.waitFor(5)
      await createWebhook()
      await Promise.all(Array.from({ length: 20 }, () => register()))
      await prompt.waitFor(20)
      await owner.data('mutation ($id: ID!) { deleteWebhook(id: $id) }', { id })
      return hanging.received.length
    })
    expect(attempts).toBe(5)
  })

  it('receives at most one attempt a minute after ten failures in a row', async () => {
    const { id } = await hooks.createWebhook()
    receiver.respondWith((_message, response) => {
      response.statusCode = 500
      response.end()
    })
    await Promise.all(Array.from({ length: 40 }, () => hooks.register()))
    const webhook = await pollUntil(
      () => hooks.deliveries(id),
      ({ paused, items }) => paused !== null && items.length === 40,
    )
    expect(webhook.paused).toMatch(/at most one attempt a minute/)
    await sleep(2_000)
    // The circuit opens after ten failures. Attempts in flight at that moment still complete.
    expect(receiver.received.length).toBeGreaterThanOrEqual(10)
    expect(receiver.received.length).toBeLessThanOrEqual(14)
    expect(
      (await hooks.deliveries(id)).items.filter(({ attempts }: { attempts: number }) => attempts === 0).length,
    ).toBeGreaterThan(20)
    const failing = { paused: expect.stringMatching(/at most one attempt a minute/) }
    const rename = `updateWebhook(id: "${id}", name: "a") { paused }`
    const rotate = `rotateWebhookSecret(id: "${id}") { paused }`
    const redeliver = `redeliver(webhookId: "${id}", deliveryId: "${webhook.items[0].id}")`
    const changed = { updateWebhook: failing, rotateWebhookSecret: failing, redeliver: 1 }
    expect(await user.data(`mutation { ${rename} ${rotate} ${redeliver} }`)).toEqual(changed)

    receiver.respondWith((_message, response) => void response.end())
    const enable = 'mutation ($id: ID!) { updateWebhook(id: $id, enabled: true) { paused } }'
    expect(await user.data(enable, { id })).toEqual({ updateWebhook: { paused: null } })
    const { items, paused } = await hooks.finishedDeliveries(id, 40)
    expect(paused).toBeNull()
    expect(items.every(({ status }: { status: string }) => status === 'delivered')).toBe(true)
  })

  it('receives nothing after five days of failures until the webhook is enabled again', async () => {
    const { id } = await hooks.createWebhook()
    receiver.respondWith((_message, response) => {
      response.statusCode = 500
      response.end()
    })
    await app.db
      .updateTable('webhook_sending')
      .set({ failing_since: new Date(Date.now() - 5 * 86_400_000 - 1_000), failures: 1 })
      .where('webhook_id', '=', id)
      .execute()
    await hooks.register()
    const webhook = await pollUntil(
      () => hooks.deliveries(id),
      ({ paused }) => paused !== null,
    )
    expect(webhook.paused).toMatch(/5 days/)
    const { login } = await user.data(
      '{ login { events(types: [WEBHOOK_PAUSE]) { items { actor { id } target { id kind } } } } }',
    )
    expect(login.events.items).toEqual([{ actor: null, target: [{ id, kind: 'webhook' }] }])
    receiver.respondWith((_message, response) => void response.end())
    await hooks.register()
    const { items } = await pollUntil(
      () => hooks.deliveries(id),
      (found) => found.items.length === 2,
    )
    await sleep(500)
    const receivedBefore = receiver.received.length
    expect(items.map(({ status }: { status: string }) => status)).toEqual(['pending', 'pending'])
    await user.data('mutation ($id: ID!) { updateWebhook(id: $id, enabled: true) { id } }', { id })
    await hooks.finishedDeliveries(id, 2)
    expect(receiver.received.length).toBe(receivedBefore + 2)
  })
})
