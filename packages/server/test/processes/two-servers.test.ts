import { signRequest } from '@muster/http-signature'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { pollUntil, webhookClient } from '../api/webhooks.ts'
import { errorOf, newPerson, signIn } from '../clients/browser.ts'
import { EVENTS, namesOf, openStream, openTestStream } from '../clients/event-stream.ts'
import { connectMqtt, registerDevice } from '../clients/mqtt-device.ts'
import { openStreamOf } from '../clients/session-stream.ts'
import { newMember, type TestMember } from '../factories/member.ts'
import { ask, done } from '../factories/team.ts'
import { type TestUser, testUser } from '../harness/app.ts'
import { startReceiver } from '../harness/webhook-receiver.ts'
import { POINTS, startTwoServers, type TwoServers } from './two-servers.ts'

let pair: TwoServers
beforeAll(async () => {
  pair = await startTwoServers()
})
afterAll(() => pair.end())

const wait = { timeout: 200_000, interval: 100 }

/**
 * Creates a key for the owner on the server with the index `at`, and deletes the key at the end of the test. Returns a
 * client with the key for each server.
 */
async function newKey(at = 0): Promise<[TestUser, TestUser]> {
  const { key, secret } = (await pair.owners[at]!.data('mutation { createAccessKey { key secret } }')).createAccessKey
  onTestFinished(
    async () => void (await pair.owners[0].query('mutation ($key: String!) { deleteAccessKey(key: $key) }', { key })),
  )
  const [first, second] = pair.servers.map(({ url }) => testUser(url, { ...pair.owners[0], keyId: key, secret }))
  return [first!, second!]
}

const LOGIN = '{ login { email } }'
const EVENTS_TOTAL = '{ login { events(size: 1) { total } } }'

describe.each([
  ['first', 0, 1],
  ['second', 1, 0],
])('the other server, after a change on the %s server', (_name, one, other) => {
  test('accepts new keys, and rejects disabled keys', async () => {
    const key = await newKey(one)
    const { keyId } = key[one]!
    expect((await key[other]!.query(LOGIN)).status).toBe(200)
    const change = 'mutation ($key: String!) { updateAccessKey(key: $key, enabled: false) { key } }'
    await pair.owners[one]!.data(change, { key: keyId })
    await expect.poll(async () => (await key[other]!.query(LOGIN)).status).toBe(401)
  })

  test('counts requests with the same key', async () => {
    const key = await newKey()
    const spent = 200
    await Promise.all(Array.from({ length: spent }, () => key[one]!.query(LOGIN)))
    let requests = 0
    await vi.waitFor(async () => {
      requests++
      const { headers } = await key[other]!.query(LOGIN)
      const left = Number(/r=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1])
      // Require only half of the spent quota to be missing, because the quota refills by 1 point per second.
      expect(left).toBeLessThanOrEqual(POINTS - requests - spent / 2)
    }, wait)
  })

  test('streams events once and in order', async () => {
    const { keyId } = (await newKey())[one]!
    const user = { ...pair.owners[other]! }
    const stream = await openTestStream({
      app: pair.servers[other]!,
      user,
      query: EVENTS,
      variables: { types: ['DEVICE_REGISTER'] },
    })
    const names = Array.from({ length: 30 }, (_, index) => `${keyId} ${index}`)
    for (const [index, name] of names.entries()) await registerDevice(pair.owners[index % 3 === 0 ? other : one]!, name)
    await pollUntil(
      async () => namesOf(stream),
      (seen) => seen.includes(names.at(-1)),
    )
    expect(namesOf(stream).filter((name) => String(name).startsWith(keyId))).toEqual(names)
  })

  test('shows connected devices as active', async () => {
    const device = await registerDevice(pair.owners[one]!)
    const states = () =>
      Promise.all(
        pair.owners.map(
          async (owner) =>
            (await owner.data(`{ login { device(id: ["${device.id}"]) { state } } }`)).login.device[0].state,
        ),
      )
    const client = await connectMqtt(`${pair.servers[one]!.url.replace('http', 'ws')}/mqtt`, device)
    await vi.waitFor(async () => expect(await states()).toEqual(['active', 'active']), wait)
    await client.endAsync()
    await vi.waitFor(async () => expect(await states()).toEqual(['inactive', 'inactive']), wait)
  })

  test('accepts sessions, and ends them', async () => {
    const person = await newPerson(pair)
    const [started, ended] = [pair.servers[one]!, pair.servers[other]!]
    const browser = await signIn(started, person)
    const queryLogin = async (server: { url: string }) => browser.query(LOGIN, {}, { server })
    for (const server of [ended, started]) expect((await queryLogin(server)).body.data.login.email).toBe(person.email)
    expect((await browser.send('/auth/sign-out', { body: {}, server: ended })).status).toBe(200)
    expect(errorOf(await queryLogin(started))[0]).toBe(401)
  })
})

describe('a change to access on the first server', () => {
  interface Changed {
    owner: TestMember
    member: TestMember
    role: string
    key: string
  }
  const setKeyPolicy = `mutation ($personalKeys: Boolean) {
    setKeyPolicy(personalKeys: $personalKeys, enforcedFrom: "2020-01-01T00:00:00Z") { maxDays } }`
  const allKinds = { session: 'FORBIDDEN', key: 'UNAUTHENTICATED' }

  test.each([
    [
      'a role',
      { session: 'FORBIDDEN', key: 'FORBIDDEN' },
      ({ owner, role }: Changed) =>
        done(owner, 'mutation ($id: ID!) { updateRole(id: $id, access: { permissions: [DEVICE_READ] }) { id } }', {
          id: role,
        }),
    ],
    [
      'a membership',
      allKinds,
      ({ owner, member }: Changed) =>
        done(owner, 'mutation ($id: ID!) { removeMember(personId: $id) }', { id: member.id }),
    ],
    [
      'the key policy',
      { key: 'UNAUTHENTICATED' },
      ({ owner }: Changed) => done(owner, setKeyPolicy, { personalKeys: false }),
    ],
    [
      'a key',
      { key: 'UNAUTHENTICATED' },
      ({ owner, key }: Changed) =>
        done(owner, 'mutation ($key: String!) { updateAccessKey(key: $key, enabled: false) { key } }', { key }),
    ],
  ] as const)(
    'ends the streams that it affects on the second server, and makes requests fail: %s',
    async (what, ending, change) => {
      const app = { db: pair.db, url: pair.servers[0].url }
      const second = pair.servers[1]
      const accountId = (await pair.owners[0].data('{ login { id } }')).login.id
      const owner = await newMember(app, accountId, 'owner')
      const { createRole } = await done(
        owner,
        'mutation ($name: String!) { createRole(name: $name, access: { permissions: [DEVICE_READ, EVENT_READ, KEY_OWN] }) { id } }',
        { name: `changed by ${what}` },
      )
      const member = await newMember(app, accountId, createRole.id)
      const { createAccessKey: created } = await done(
        member,
        'mutation { createAccessKey(personal: true) { key secret } }',
      )
      onTestFinished(async () => void (await done(owner, setKeyPolicy, { personalKeys: true })))
      const user = testUser(second.url, { ...pair.owners[1], keyId: created.key, secret: created.secret })
      const requests = {
        session: async () => (await ask(member, EVENTS_TOTAL, {}, second)).error?.[0],
        key: async () => (await user.query(EVENTS_TOTAL)).errors?.[0]?.extensions.code,
      }
      expect([await requests.session(), await requests.key()]).toEqual([undefined, undefined])
      const ofSession = await openStreamOf(second, { ...member.headers, origin: second.url })
      const ofKey = await openStream({ app: second, user, query: EVENTS, variables: { types: ['DEVICE_REGISTER'] } })
      onTestFinished(() => ofSession.cut())
      expect([ofSession.status, ofKey.status]).toEqual([200, 200])

      const changed = performance.now()
      await change({ owner, member, role: createRole.id, key: created.key })
      await ofKey.ended
      if ('session' in ending) await ofSession.ended
      for (const [kind, code] of Object.entries(ending))
        await expect.poll(requests[kind as keyof typeof requests], { interval: 20 }).toBe(code)
      console.log(`${what}: ended on the other server after ${Math.round(performance.now() - changed)} ms`)
      expect(ofKey.text()).toContain(ending.key)
      if (!('session' in ending)) expect(await requests.session()).toBeUndefined()
    },
  )
})

test('accepts a nonce once if two servers receive the nonce at the same time', async () => {
  const [{ keyId, secret }] = await newKey()
  const send = ({ url: server }: { url: string }) => {
    const url = `${server}/graphql/v1`
    const body = JSON.stringify({ query: LOGIN })
    const headers = { 'content-type': 'application/json' }
    const signature = signRequest({
      keyId,
      key: { algorithm: 'hmac-sha256', secret: Buffer.from(secret, 'base64') },
      method: 'POST',
      url,
      headers,
      body,
      created: Math.floor(Date.now() / 1_000),
      nonce: 'the same',
    })
    return fetch(url, { method: 'POST', headers: { ...headers, ...signature }, body })
  }
  const responses = await Promise.all(Array.from({ length: 20 }, (_, index) => send(pair.servers[index % 2]!)))
  expect(responses.map(({ status }) => status).sort()).toEqual([200, ...Array(19).fill(401)])
})

test('sends each change on either server to a webhook once', async () => {
  const receiver = await startReceiver()
  onTestFinished(receiver.close)
  const hooks = webhookClient(pair.owners[0], receiver)
  const { id } = await hooks.createWebhook(['ATTRIBUTE_CHANGE'])
  onTestFinished(
    async () => void (await pair.owners[0].query('mutation ($id: ID!) { deleteWebhook(id: $id) }', { id })),
  )
  const device = await hooks.register()
  const values = Array.from({ length: 60 }, (_, index) => String(index))
  await Promise.all(
    values.map((value, index) =>
      webhookClient(pair.owners[index % 2]!, receiver).setAttribute(device, `n${value}`, value),
    ),
  )
  await pollUntil(
    () => hooks.deliveries(id, '(size: 1000)'),
    ({ items }) =>
      items.length === values.length && items.every(({ status }: { status: string }) => status === 'delivered'),
  )
  expect(new Set(receiver.received.map((message) => message.id)).size).toBe(values.length)
  expect(receiver.received).toHaveLength(values.length)
})
