import type { ServerResponse } from 'node:http'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { sharedTestApp, type TestUser } from '../../../test/harness/app.ts'
import { type Receiver, startReceiver, verifyMessage } from '../../../test/harness/webhook-receiver.ts'

let user: TestUser
const names: Record<string, string[]> = { 'good.example': ['93.184.215.14'], 'bad.example': ['10.0.0.1'] }

const app = sharedTestApp({
  env: { MUSTER_WEBHOOK_ALLOW: '127.0.0.1' },
  resolve: async (name) => names[name] ?? Promise.reject(Object.assign(new Error(name), { code: 'ENOTFOUND' })),
})
beforeEach(async () => {
  user = await app.createUser()
})

const fields = 'id name url events enabled paused created secret'
const create = `mutation ($url: String!, $events: [EventType!], $name: String, $enabled: Boolean! = true) {
  createWebhook(url: $url, events: $events, name: $name, enabled: $enabled) { ${fields} } }`
const change = `mutation ($id: ID!, $url: String, $events: [EventType!], $name: String, $enabled: Boolean) {
  updateWebhook(id: $id, url: $url, events: $events, name: $name, enabled: $enabled) { ${fields} } }`
const rename = `mutation ($id: ID!, $name: String) { updateWebhook(id: $id, name: $name) { ${fields} } }`
const remove = 'mutation ($id: ID!) { deleteWebhook(id: $id) }'
const rotate = 'mutation ($id: ID!, $overlap: Int) { rotateWebhookSecret(id: $id, overlap: $overlap) { id secret } }'
const test = `mutation ($id: ID!) { testWebhook(id: $id) {
  id attempts status httpStatus duration error request response nextAttempt event { id } } }`
const redeliver = `mutation ($id: ID!, $one: ID, $since: DateTime) {
  redeliver(webhookId: $id, deliveryId: $one, since: $since) }`
const list = `{ login { webhooks { ${fields} } } }`
const url = 'https://good.example/hook'

const codeOf = (response: { errors: { extensions: { code: string } }[] | undefined }) =>
  response.errors?.[0]?.extensions.code

const eventsOf = (of: TestUser) =>
  app.db
    .selectFrom('event')
    .select(['type', 'targets', 'data', 'actor_id'])
    .where('account_id', '=', of.accountId)
    .where('type', 'like', 'WEBHOOK%')
    .orderBy('id')
    .execute()

describe('creating a webhook', () => {
  it('returns the secret once, and adds the webhook to the list', async () => {
    const { createWebhook: created } = await user.data(create, { url, name: 'home' })
    expect(created).toMatchObject({
      name: 'home',
      url,
      events: ['DEVICE_STATE', 'SERVICE_STATE'],
      enabled: true,
      paused: null,
      secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
    })
    expect((await user.data(list)).login.webhooks).toEqual([{ ...created, secret: null }])
    expect((await user.data(rename, { id: created.id, name: null })).updateWebhook).toEqual({
      ...created,
      name: null,
      secret: null,
    })
  })

  it('stores secrets only in encrypted form', async () => {
    const { secret } = (await user.data(create, { url })).createWebhook
    const row = await app.db
      .selectFrom('webhook')
      .selectAll()
      .where('account_id', '=', user.accountId)
      .executeTakeFirstOrThrow()
    expect(row.encrypted_secret.includes(Buffer.from(secret.slice(6), 'base64'))).toBe(false)
    expect(JSON.stringify(await eventsOf(user))).not.toContain(secret)
  })

  it.each([
    ['a URL without a scheme', { url: 'good.example/hook' }, 'BAD_USER_INPUT'],
    ['another scheme', { url: 'ftp://good.example/' }, 'BAD_USER_INPUT'],
    ['a file', { url: 'file:///etc/passwd' }, 'BAD_USER_INPUT'],
    ['a user name', { url: 'https://me@good.example/' }, 'BAD_USER_INPUT'],
    ['a fragment', { url: 'https://good.example/#here' }, 'BAD_USER_INPUT'],
    ['a private address', { url: 'http://192.168.1.1/' }, 'BAD_USER_INPUT'],
    ['a mapped address', { url: 'http://[::ffff:10.0.0.1]/' }, 'BAD_USER_INPUT'],
    ['a cloud metadata address', { url: 'http://169.254.169.254/latest/meta-data' }, 'BAD_USER_INPUT'],
    ['a local host name', { url: 'https://x.localhost/' }, 'BAD_USER_INPUT'],
    ['a long URL', { url: `https://good.example/${'x'.repeat(2_000)}` }, 'LIMIT_EXCEEDED'],
    ['an empty name', { url, name: ' ' }, 'BAD_USER_INPUT'],
    ['a long name', { url, name: 'x'.repeat(101) }, 'LIMIT_EXCEEDED'],
    ['no types', { url, events: [] }, 'BAD_USER_INPUT'],
    ['an unknown type', { url, events: ['SUNRISE'] }, 'BAD_USER_INPUT'],
    ['half a surrogate pair', { url: 'https://good.example/\ud800' }, 'BAD_USER_INPUT'],
  ])('rejects %s and changes nothing', async (_name, variables, code) => {
    expect(codeOf(await user.query(create, variables))).toBe(code)
    expect((await user.data(list)).login.webhooks).toEqual([])
    expect(await eventsOf(user)).toEqual([])
  })

  it("does not reveal whether a name exists in the server's network", async () => {
    const inside = await user.data(create, { url: 'https://bad.example/hook' })
    const nowhere = await user.data(create, { url: 'https://later.example/hook' })
    expect(inside.createWebhook.url).toBe('https://bad.example/hook')
    expect(nowhere.createWebhook.url).toBe('https://later.example/hook')
    const test = 'mutation ($id: ID!) { testWebhook(id: $id) { status httpStatus error response duration } }'
    const results = await Promise.all(
      [inside, nowhere].map(async ({ createWebhook: { id } }) => (await user.data(test, { id })).testWebhook),
    )
    for (const { duration, ...result } of results) {
      expect(duration).toBeGreaterThanOrEqual(1_000)
      expect(result).toEqual({
        status: 'failed',
        httpStatus: null,
        error: 'the host name has no address, or has an address that the server may not connect to',
        response: null,
      })
    }
  })

  it('adds at most 20 webhooks, even with concurrent requests', async () => {
    const responses = await Promise.all(Array.from({ length: 24 }, () => user.query(create, { url })))
    expect(responses.filter(({ errors }) => errors === undefined)).toHaveLength(20)
    expect(new Set(responses.flatMap((response) => codeOf(response) ?? []))).toEqual(new Set(['LIMIT_EXCEEDED']))
    const { login } = await user.data('{ login { limits { name value used } } }')
    expect(login.limits).toContainEqual({ name: 'webhooks', value: 20, used: 20 })
  })
})

describe('changing a webhook', () => {
  it('changes the given fields, validates them like createWebhook, and records an event for each change', async () => {
    const { id } = (await user.data(create, { url, name: 'home' })).createWebhook
    const changed = await user.data(change, { id, events: ['DEVICE_STATE', 'ATTRIBUTE_CHANGE'], enabled: false })
    expect(changed.updateWebhook).toMatchObject({ url, events: ['DEVICE_STATE', 'ATTRIBUTE_CHANGE'], enabled: false })
    await user.data(change, { id, events: ['ATTRIBUTE_CHANGE', 'DEVICE_STATE'], enabled: false })
    expect(codeOf(await user.query(change, { id, url: 'http://127.0.0.2/' }))).toBe('BAD_USER_INPUT')
    await user.data(remove, { id })
    const target = [{ id, name: 'home', kind: 'webhook' }]
    const actor_id = user.accountId
    const events = ['DEVICE_STATE', 'SERVICE_STATE']
    expect(await eventsOf(user)).toEqual([
      { type: 'WEBHOOK_CREATE', targets: target, data: { name: 'home', url, events, enabled: true }, actor_id },
      {
        type: 'WEBHOOK_UPDATE',
        targets: target,
        actor_id,
        data: {
          changes: {
            events: { old: events, new: ['DEVICE_STATE', 'ATTRIBUTE_CHANGE'] },
            enabled: { old: true, new: false },
          },
        },
      },
      { type: 'WEBHOOK_DELETE', targets: target, data: { name: 'home', url }, actor_id },
    ])
  })

  it.each([-1, 604_801])('rejects an overlap of %s seconds', async (overlap) => {
    const { id } = (await user.data(create, { url })).createWebhook
    expect(codeOf(await user.query(rotate, { id, overlap }))).toBe('BAD_USER_INPUT')
  })
})

describe('a test of a webhook', () => {
  let receiver: Receiver
  beforeEach(async () => {
    receiver = await startReceiver()
  })
  afterEach(() => receiver.close())

  it('is sent once, immediately, and returns the result', async () => {
    const { id, secret } = (await user.data(create, { url: receiver.url, enabled: false })).createWebhook
    receiver.respondWith((_message, response) => void response.end('hello'))
    const { testWebhook: sent } = await user.data(test, { id })
    const [message] = receiver.received
    verifyMessage(secret, message!)
    expect(message!.body).toMatchObject({ type: 'webhook.test', data: { webhook: id } })
    expect(sent).toEqual({
      id: message!.id,
      attempts: 1,
      status: 'delivered',
      httpStatus: 200,
      duration: expect.any(Number),
      error: null,
      request: message!.text,
      response: 'hello',
      nextAttempt: null,
      event: null,
    })
    receiver.respondWith((_message, response) => void response.writeHead(404).end())
    expect((await user.data(test, { id })).testWebhook).toMatchObject({ status: 'failed', httpStatus: 404 })
    expect(receiver.received).toHaveLength(2)
  })

  it("counts toward the account's limit on concurrent tests", async () => {
    const other = await app.createUser()
    const [mine, theirs] = await Promise.all(
      [user, other].map(async ({ data }) => (await data(create, { url: receiver.url })).createWebhook.id as string),
    )
    const held: ServerResponse[] = []
    receiver.respondWith((_message, response) => void held.push(response))
    const waiting = Array.from({ length: 4 }, () => user.query(test, { id: mine }))
    await receiver.waitFor(4)
    expect(codeOf(await user.query(test, { id: mine }))).toBe('LIMIT_EXCEEDED')
    waiting.push(other.query(test, { id: theirs }))
    await receiver.waitFor(5)
    for (const response of held) response.end()
    for (const { data } of await Promise.all(waiting)) expect(data.testWebhook.status).toBe('delivered')
    receiver.respondWith((_message, response) => void response.end())
    expect((await user.data(test, { id: mine })).testWebhook.status).toBe('delivered')
  })

  it('appears in the deliveries, newest first, in pages by position, ID, and cursor', async () => {
    const { id } = (await user.data(create, { url: receiver.url })).createWebhook
    const ids: string[] = []
    for (let index = 0; index < 7; index++) ids.unshift((await user.data(test, { id })).testWebhook.id)
    const page = async (args: string) => {
      const { login } = await user.data(
        `{ login { webhooks { deliveries(${args}) { items { id } total hasMore last cursor } } } }`,
      )
      const { items, ...rest } = login.webhooks[0].deliveries
      return { ids: items.map((item: { id: string }) => item.id), ...rest }
    }
    const first = await page('size: 3')
    expect(first).toEqual({ ids: ids.slice(0, 3), total: 7, hasMore: true, last: ids[2], cursor: expect.any(String) })
    expect((await page('size: 3, from: 4')).ids).toEqual(ids.slice(3, 6))
    expect((await page(`size: 3, after: "${first.cursor}"`)).ids).toEqual(ids.slice(3, 6))
    expect(await page(`size: 5, last: "${first.last}"`)).toMatchObject({ ids: ids.slice(3), hasMore: false, total: 7 })
    expect(await page('failed: true')).toMatchObject({ ids: [], total: 0, last: null, cursor: null })
    for (const [args, code] of [
      ['size: 0', 'BAD_USER_INPUT'],
      ['from: 0', 'BAD_USER_INPUT'],
      ['after: "msg_gone"', 'NOT_FOUND'],
    ] as const)
      expect(codeOf(await user.query(`{ login { webhooks { deliveries(${args}) { total } } } }`))).toBe(code)
  })
})

describe('resending a delivery', () => {
  it('requires either a delivery or a start time, and an enabled webhook', async () => {
    const { id } = (await user.data(create, { url })).createWebhook
    expect(codeOf(await user.query(redeliver, { id }))).toBe('BAD_USER_INPUT')
    expect(codeOf(await user.query(redeliver, { id, one: 'msg_1', since: '2026-01-01' }))).toBe('BAD_USER_INPUT')
    expect(codeOf(await user.query(redeliver, { id, one: 'msg_1' }))).toBe('NOT_FOUND')
    expect(await user.data(redeliver, { id, since: '2026-01-01' })).toEqual({ redeliver: 0 })
    await user.data(change, { id, enabled: false })
    expect(codeOf(await user.query(redeliver, { id, since: '2026-01-01' }))).toBe('CONFLICT')
  })
})

describe('another user', () => {
  it('cannot see, change, test, or delete a webhook', async () => {
    const { id } = (await user.data(create, { url })).createWebhook
    const other = await app.createUser()
    for (const document of [rename, remove, rotate, test])
      expect(codeOf(await other.query(document, { id }))).toBe('NOT_FOUND')
    expect(codeOf(await other.query(redeliver, { id, since: '2026-01-01' }))).toBe('NOT_FOUND')
    expect((await other.data(list)).login.webhooks).toEqual([])
    expect((await user.data(list)).login.webhooks).toMatchObject([{ id, name: null }])
    expect(await eventsOf(other)).toEqual([])
  })
})
