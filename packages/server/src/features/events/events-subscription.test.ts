import { setTimeout as sleep } from 'node:timers/promises'
import { signRequest } from '@muster/http-signature'
import { createClient } from 'graphql-sse'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { startTestApp, type TestApp, type TestUser } from '../../../test/app.ts'
import { openStream, type RawStream, signStream } from '../../../test/event-stream.ts'

let app: TestApp
let other: TestApp

beforeAll(async () => {
  app = await startTestApp()
  other = await app.startAnother()
})

afterAll(async () => {
  await other.close()
  await app.close()
})

const EVENTS =
  'subscription ($types: [EventType!], $deviceId: [String!], $after: ID) { events(types: $types, deviceId: $deviceId, after: $after) { id type owner { id } actor { id } target { id name kind } data } }'

async function subscribe(user: TestUser, variables: Record<string, unknown> = {}, query = EVENTS): Promise<RawStream> {
  const stream = await openStream({ app, user, query, variables })
  onTestFinished(() => stream.cut())
  return stream
}

/** Until it holds; a test that waits in vain ends by its own time limit. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await sleep(5)
}

const eventsOf = ({ messages }: RawStream): Record<string, unknown>[] =>
  messages.filter(({ event }) => event === 'next').map(({ data }) => data.data.events)

const namesOf = (stream: RawStream): unknown[] => eventsOf(stream).map(({ data }) => (data as { name?: unknown }).name)

const codesOf = ({ messages }: RawStream): unknown[] =>
  messages.map(({ event, data }) => (event === 'next' ? data.errors?.[0].extensions.code : event))

async function register(user: TestUser, name: string): Promise<string> {
  const { registerDevice } = await user.data(
    'mutation ($name: String!) { registerDevice(name: $name) { device { id } } }',
    { name },
  )
  return registerDevice.device.id
}

async function lastEventId(user: TestUser): Promise<string> {
  return (await user.data('{ login { events(size: 1) { last } } }')).login.events.last
}

describe('a subscription', () => {
  it('tells of what happens on any server, from now on, in order', async () => {
    const user = await app.createUser()
    await register(user, 'before')
    const stream = await subscribe(user)
    expect(stream.status).toBe(200)
    expect(stream.headers['content-type']).toBe('text/event-stream; charset=utf-8')
    const id = await register(user, 'here')
    await register(other.as(user), 'there')
    await until(() => stream.messages.length === 2)
    expect(namesOf(stream)).toEqual(['here', 'there'])
    const owner = { id: user.accountId }
    const target = [{ id, name: 'here', kind: 'device' }]
    expect(eventsOf(stream)[0]).toMatchObject({ type: 'DEVICE_REGISTER', owner, actor: owner, target })
  })

  it('works with the client of graphql-sse', async () => {
    const user = await app.createUser()
    const client = createClient({
      url: `${app.url}/graphql/v1/stream`,
      fetchFn: (_url: unknown, init: RequestInit) => {
        const { query, variables } = JSON.parse(String(init.body))
        const signed = signStream({ app, user, query, variables })
        return fetch(signed.url, {
          ...init,
          body: signed.body,
          headers: { ...(init.headers as object), ...signed.headers },
        })
      },
    })
    onTestFinished(() => client.dispose())
    const iterator = client.iterate({ query: EVENTS })
    const first = iterator.next()
    let isSeen = false
    const writing = (async () => {
      // The client does not say when it is connected.
      for (let time = 0; !isSeen; time++) {
        await register(other.as(user), `device ${time}`)
        await sleep(20)
      }
    })()
    const { value } = await first
    isSeen = true
    await writing
    expect(value).toMatchObject({ data: { events: { type: 'DEVICE_REGISTER' } } })
    await iterator.return?.()
    const wrong = client.iterate({ query: 'subscription { events(after: "1") { id } }' })
    expect((await wrong.next()).value).toMatchObject({ errors: [{ extensions: { code: 'NOT_FOUND' } }] })
    expect((await wrong.next()).done).toBe(true)
  })

  it('goes on after the event given, from what is stored to what happens', async () => {
    const user = await app.createUser()
    await register(user, 'a')
    const after = await lastEventId(user)
    for (let number = 0; number < 25; number++) await register(user, `stored ${number}`)
    const stream = await subscribe(user, { after })
    await register(user, 'live')
    await until(() => stream.messages.length === 26)
    expect(namesOf(stream)).toEqual([...Array.from({ length: 25 }, (_, number) => `stored ${number}`), 'live'])
  })

  it('tells of the types and devices asked for alone, stored and live', async () => {
    const user = await app.createUser()
    const [one, two] = [await register(user, 'one'), await register(user, 'two')]
    const after = await lastEventId(user)
    const change = async (): Promise<void> => {
      for (const id of [one, two]) {
        await user.data(
          'mutation ($id: String!, $value: String) { setAttribute(name: "a", value: $value, serviceId: $id) }',
          { id, value: String(Math.random()) },
        )
        await user.data('mutation ($id: String!, $name: String!) { renameService(serviceId: $id, name: $name) }', {
          id,
          name: String(Math.random()),
        })
      }
    }
    await change()
    const filters = { types: ['ATTRIBUTE_CHANGE'], deviceId: [two.toUpperCase()] }
    const chosen = await subscribe(user, { ...filters, after })
    const live = await subscribe(user, filters)
    const byType = await subscribe(user, { types: ['ATTRIBUTE_CHANGE'] })
    const none = await subscribe(user, { types: [] })
    const all = await subscribe(user)
    await change()
    await until(() => all.messages.length === 4 && chosen.messages.length === 2)
    expect([chosen, live, byType, none].map(({ messages }) => messages.length)).toEqual([2, 1, 2, 0])
    for (const event of eventsOf(chosen))
      expect(event).toMatchObject({ type: 'ATTRIBUTE_CHANGE', target: [{ id: two }] })
  })

  it('tells nothing of another user, and takes no event of another user to go on after', async () => {
    const [user, stranger] = [await app.createUser(), await app.createUser()]
    const id = await register(user, 'mine')
    const stream = await subscribe(stranger, { deviceId: [id] })
    const wholly = await subscribe(stranger)
    await register(user, 'mine too')
    await register(stranger, 'of the stranger')
    await until(() => wholly.messages.length === 1)
    expect(namesOf(wholly)).toEqual(['of the stranger'])
    expect(stream.messages).toEqual([])
    const foreign = await subscribe(stranger, { after: await lastEventId(user) })
    await foreign.ended
    expect(codesOf(foreign)).toEqual(['NOT_FOUND', 'complete'])
  })

  it.each(['0', '999999999999', 'nonsense', '-1', '99999999999999999999999'])(
    'refuses to go on after %s',
    async (after) => {
      const stream = await subscribe(app.owner, { after })
      await stream.ended
      expect(codesOf(stream)).toEqual(['NOT_FOUND', 'complete'])
    },
  )

  it('is kept open by comments', async () => {
    const stream = await subscribe(app.owner)
    await until(() => stream.text().split(':\n\n').length > 2)
    expect(stream.messages).toEqual([])
  })
})

describe('a stream', () => {
  it.each([
    ['a query', '{ version }', 'BAD_USER_INPUT'],
    ['a mutation', 'mutation { deleteDevice(deviceId: "80:00:00:00:00:00:00:00") }', 'BAD_USER_INPUT'],
    ['an unknown field', 'subscription { nothing }', 'BAD_USER_INPUT'],
    ['two fields', 'subscription { events { id } more: events { id } }', 'BAD_USER_INPUT'],
    ['no GraphQL', 'subscription {', 'BAD_USER_INPUT'],
    [
      'too many aliases',
      `subscription { events { ${Array.from({ length: 20 }, (_, n) => `a${n}: id`).join(' ')} } }`,
      'QUERY_TOO_COMPLEX',
    ],
    ['too many tokens', `subscription { events { ${'id '.repeat(3_000)} } }`, 'QUERY_TOO_COMPLEX'],
  ])('tells what is wrong with %s', async (_name, query, code) => {
    const stream = await subscribe(app.owner, {}, query)
    await stream.ended
    expect(stream.status).toBe(200)
    expect(codesOf(stream)).toEqual([code, 'complete'])
  })

  it('needs credentials that hold', async () => {
    const url = `${app.url}/graphql/v1/stream?query=${encodeURIComponent('subscription { events { id } }')}`
    const unsigned = await fetch(url, { headers: { accept: 'text/event-stream' } })
    expect(unsigned.status).toBe(401)
    expect(await unsigned.json()).toMatchObject({
      errors: [{ extensions: { code: 'UNAUTHENTICATED', reason: 'missing' } }],
    })
    const wrong = await openStream({
      app,
      user: { ...app.owner, secret: Buffer.alloc(32, 1).toString('base64') },
      query: EVENTS,
    })
    expect(wrong.status).toBe(401)
    await wrong.ended
  })

  it.each([
    ['no JSON', { 'content-type': 'text/plain' }, 415],
    ['another answer', { accept: 'application/json' }, 406],
  ])('is refused to who sends or wants %s', async (_name, headers, status) => {
    const stream = await openStream({ app, user: app.owner, query: EVENTS, headers })
    await stream.ended
    expect(stream.status).toBe(status)
    expect(JSON.parse(stream.text())).toMatchObject({ errors: [{ extensions: { code: 'BAD_USER_INPUT' } }] })
  })

  it('is opened by GET as well', async () => {
    const url = `${app.url}/graphql/v1/stream?query=${encodeURIComponent('subscription { events { type } }')}`
    const headers = { accept: 'text/event-stream' }
    const created = Math.floor(Date.now() / 1_000)
    const key = { algorithm: 'hmac-sha256', secret: Buffer.from(app.owner.secret, 'base64') } as const
    const signature = signRequest({ keyId: app.owner.keyId, key, method: 'GET', url, headers, created })
    const stopping = new AbortController()
    const response = await fetch(url, { headers: { ...headers, ...signature }, signal: stopping.signal })
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toMatch('text/event-stream')
    stopping.abort()
  })

  it('is open to a read-only key', async () => {
    const user = await app.createUser()
    const { createAccessKey } = await user.data('mutation { createAccessKey(readOnly: true) { key secret } }')
    const stream = await subscribe({ ...user, keyId: createAccessKey.key, secret: createAccessKey.secret })
    await register(user, 'seen')
    await until(() => stream.messages.length === 1)
    expect(namesOf(stream)).toEqual(['seen'])
  })

  it.each([
    ['disabled', 'mutation ($key: String!) { updateAccessKey(key: $key, enabled: false) { key } }', 'key-disabled'],
    ['deleted', 'mutation ($key: String!) { deleteAccessKey(key: $key) }', 'key-deleted'],
  ])('ends when its key is %s on another server', async (_name, change, reason) => {
    const user = await app.createUser()
    const { createAccessKey: made } = await user.data('mutation { createAccessKey { key secret } }')
    const stream = await subscribe({ ...user, keyId: made.key, secret: made.secret }, { types: ['DEVICE_REGISTER'] })
    const lasting = await subscribe(user, { types: ['DEVICE_REGISTER'] })
    await other.as(user).data(change, { key: made.key })
    await Promise.race([stream.ended, sleep(1_000)])
    await register(user, 'afterwards')
    await stream.ended
    expect(codesOf(stream)).toEqual(['UNAUTHENTICATED', 'complete'])
    expect(stream.messages[0]?.data.errors[0].extensions.reason).toBe(reason)
    await until(() => lasting.messages.length === 1)
  })

  it('ends within a second of it also while nothing can be heard of changed keys', async () => {
    const user = await app.createUser()
    const { createAccessKey: made } = await user.data('mutation { createAccessKey { key secret } }')
    const stream = await subscribe({ ...user, keyId: made.key, secret: made.secret }, { types: ['DEVICE_REGISTER'] })
    await sql`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name = 'muster access keys'`.execute(app.db)
    await other.as(user).data('mutation ($key: String!) { deleteAccessKey(key: $key) }', { key: made.key })
    await sleep(1_000)
    await register(user, 'afterwards')
    await stream.ended
    expect(codesOf(stream)).toEqual(['UNAUTHENTICATED', 'complete'])
  })

  it('ends with its key also when its client reads nothing', async () => {
    const user = await app.createUser()
    const { createAccessKey: made } = await user.data('mutation { createAccessKey { key secret } }')
    const key = { ...user, keyId: made.key, secret: made.secret }
    const [stream, other] = [await subscribe(key), await subscribe(key)]
    const socket = stream.response.socket
    stream.response.pause()
    await sql`insert into event (account_id, type, targets, data)
      select ${user.accountId}, 'DEVICE_UPDATE', '[]', jsonb_build_object('filling', repeat('x', 100000))
      from generate_series(1, 500)`.execute(app.db)
    // By then more was sent on the one that is not read than any socket holds.
    while (other.messages.length < 400) await sleep(50)
    await user.data('mutation ($key: String!) { deleteAccessKey(key: $key) }', { key: made.key })
    // That the server has let go shows only on a stream that is read; this one's turn comes within the second after.
    await other.ended
    await sleep(2_000)
    stream.response.resume()
    await stream.ended
    expect(socket.destroyed).toBe(true)
    expect(stream.response.complete).toBe(false)
    expect(stream.messages.length).toBeLessThan(400)
  })

  it('ends when its key expires', async () => {
    const user = await app.createUser()
    const expires = new Date(Date.now() + 1_500).toISOString()
    const { createAccessKey: made } = await user.data(
      'mutation ($expires: DateTime) { createAccessKey(expires: $expires) { key secret } }',
      { expires },
    )
    const stream = await subscribe({ ...user, keyId: made.key, secret: made.secret }, { types: [] })
    expect(stream.status).toBe(200)
    await stream.ended
    expect(stream.messages[0]?.data.errors[0].extensions.reason).toBe('key-expired')
    expect(Date.now()).toBeLessThan(Date.parse(expires) + 1_000)
  })

  it('is one of so many a key may have', async () => {
    const small = await app.startAnother({ env: { MUSTER_STREAMS_PER_KEY: '2' } })
    const user = await app.createUser()
    const open = (): Promise<RawStream> => openStream({ app: small, user, query: EVENTS })
    const [first, second] = [await open(), await open()]
    const third = await open()
    await third.ended
    expect(codesOf(third)).toEqual(['LIMIT_EXCEEDED', 'complete'])
    first.cut()
    const again = async (): Promise<RawStream> => {
      const stream = await open()
      await Promise.race([stream.ended, sleep(100)])
      return stream.messages.length > 0 ? again() : stream
    }
    const fourth = await again()
    await register(small.as(user), 'seen')
    await until(() => second.messages.length === 1 && fourth.messages.length === 1)
    for (const stream of [second, fourth]) stream.cut()
    await small.close()
  })

  it('ends with a word when the server stops', async () => {
    const stopping = await app.startAnother()
    const stream = await openStream({ app: stopping, user: app.owner, query: EVENTS })
    const { url, body, headers } = signStream({ app: stopping, user: app.owner, query: EVENTS })
    const kept = await fetch(url, { method: 'POST', body, headers })
    await stopping.close()
    expect(await kept.text()).toContain('UNAVAILABLE')
    await stream.ended
    expect(codesOf(stream)).toEqual(['UNAVAILABLE', 'complete'])
  })
})
