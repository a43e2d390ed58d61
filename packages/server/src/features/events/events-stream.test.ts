import { signRequest } from '@muster/http-signature'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import {
  codesOf,
  EVENTS,
  namesOf,
  openStream,
  openTestStream,
  type RawStream,
  signStream,
  until,
} from '../../../test/clients/event-stream.ts'
import { sharedTestApp, type TestApp, type TestUser } from '../../../test/harness/app.ts'

const app = sharedTestApp()
let other: TestApp

beforeAll(async () => {
  other = await app.startAnother()
})

afterAll(() => other.close())

const subscribe = (user: TestUser, variables: Record<string, unknown> = {}, query = EVENTS): Promise<RawStream> =>
  openTestStream({ app, user, query, variables })

const register = (user: TestUser, name: string): Promise<unknown> =>
  user.data('mutation ($name: String!) { registerDevice(name: $name) { device { id } } }', { name })

describe('an event stream', () => {
  it.each([
    ['a query', '{ version }', 'BAD_USER_INPUT'],
    ['a mutation', 'mutation { deleteDevice(deviceId: "80:00:00:00:00:00:00:00") }', 'BAD_USER_INPUT'],
    ['an unknown field', 'subscription { nothing }', 'BAD_USER_INPUT'],
    ['two fields', 'subscription { events { id } more: events { id } }', 'BAD_USER_INPUT'],
    ['invalid GraphQL', 'subscription {', 'BAD_USER_INPUT'],
    [
      'too many aliases',
      `subscription { events { ${Array.from({ length: 20 }, (_, n) => `a${n}: id`).join(' ')} } }`,
      'QUERY_TOO_COMPLEX',
    ],
    ['too many tokens', `subscription { events { ${'id '.repeat(3_000)} } }`, 'QUERY_TOO_COMPLEX'],
  ])('responds with an error to %s', async (_name, query, code) => {
    const stream = await subscribe(app.owner, {}, query)
    await stream.ended
    expect(stream.status).toBe(200)
    expect(codesOf(stream)).toEqual([code, 'complete'])
  })

  it('requires valid credentials', async () => {
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
    ['a content type other than JSON', { 'content-type': 'text/plain' }, 415],
    ['another response type', { accept: 'application/json' }, 406],
  ])('is rejected because of %s', async (_name, headers, status) => {
    const stream = await openStream({ app, user: app.owner, query: EVENTS, headers })
    await stream.ended
    expect(stream.status).toBe(status)
    expect(JSON.parse(stream.text())).toMatchObject({ errors: [{ extensions: { code: 'BAD_USER_INPUT' } }] })
  })

  it('can be opened with GET', async () => {
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

  it('can be opened with a read-only key', async () => {
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
    const { createAccessKey: created } = await user.data('mutation { createAccessKey { key secret } }')
    const key = { ...user, keyId: created.key, secret: created.secret }
    const stream = await subscribe(key, { types: ['DEVICE_REGISTER'] })
    const lasting = await subscribe(user, { types: ['DEVICE_REGISTER'] })
    await other.as(user).data(change, { key: created.key })
    await stream.ended
    await register(user, 'afterwards')
    expect(codesOf(stream)).toEqual(['UNAUTHENTICATED', 'complete'])
    expect(stream.messages[0]?.data.errors[0].extensions.reason).toBe(reason)
    await until(() => lasting.messages.length === 1)
  })

  it('ends when its key is deleted while the notification connection is lost', async () => {
    const user = await app.createUser()
    const { createAccessKey: created } = await user.data('mutation { createAccessKey { key secret } }')
    const key = { ...user, keyId: created.key, secret: created.secret }
    const stream = await subscribe(key, { types: ['DEVICE_REGISTER'] })
    await sql`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name = 'muster notifications'`.execute(app.db)
    await other.as(user).data('mutation ($key: String!) { deleteAccessKey(key: $key) }', { key: created.key })
    await stream.ended
    expect(codesOf(stream)).toEqual(['UNAUTHENTICATED', 'complete'])
  })

  it('ends when its key is deleted even if the client is not reading', async () => {
    const user = await app.createUser()
    const { createAccessKey: created } = await user.data('mutation { createAccessKey { key secret } }')
    const key = { ...user, keyId: created.key, secret: created.secret }
    const [stream, read] = [await subscribe(key), await subscribe(key)]
    const socket = stream.response.socket
    stream.response.pause()
    await sql`insert into event (account_id, type, targets, data)
      select ${user.accountId}, 'DEVICE_UPDATE', '[]', jsonb_build_object('filling', repeat('x', 100000))
      from generate_series(1, 500)`.execute(app.db)
    // Once the other stream has received 400 messages, the server has written more to the paused stream than the socket
    // buffers can store.
    await until(() => read.messages.length >= 400)
    await user.data('mutation ($key: String!) { deleteAccessKey(key: $key) }', { key: created.key })
    await read.ended
    // Client writes succeed until the server closes the connection. The next write destroys the socket.
    await until(() => socket.destroyed || (socket.write('\r\n') && false))
    expect(stream.response.complete).toBe(false)
    expect(stream.messages.length).toBeLessThan(400)
  })

  it('ends when its key expires', async () => {
    let ahead = 0
    const late = await app.startAnother({ clock: () => new Date(Date.now() + ahead) })
    onTestFinished(() => late.close())
    const expires = new Date(Date.now() + 3_600_000).toISOString()
    const { createAccessKey: created } = await late.owner.data(
      'mutation ($expires: DateTime) { createAccessKey(expires: $expires) { key secret } }',
      { expires },
    )
    const owner = { ...late.owner, keyId: created.key, secret: created.secret }
    const stream = await openStream({ app: late, user: owner, query: EVENTS, variables: { types: [] } })
    expect(stream.status).toBe(200)
    ahead = 3_600_000
    await stream.ended
    expect(codesOf(stream)).toEqual(['UNAUTHENTICATED', 'complete'])
    expect(stream.messages[0]?.data.errors[0].extensions.reason).toBe('key-expired')
  })

  it("counts toward its key's stream limit", async () => {
    const limited = await app.startAnother({ env: { MUSTER_STREAMS_PER_KEY: '2' } })
    const user = await app.createUser()
    const open = (): Promise<RawStream> => openStream({ app: limited, user, query: EVENTS })
    const [first, second] = [await open(), await open()]
    const third = await open()
    await third.ended
    expect(codesOf(third)).toEqual(['LIMIT_EXCEEDED', 'complete'])
    first.cut()
    // The server rejects new streams until it detects that the first stream was cut.
    const retry = async (): Promise<RawStream> => {
      const stream = await open()
      await register(limited.as(user), 'seen')
      await until(() => stream.messages.length > 0)
      return stream.messages[0]!.data.errors === undefined ? stream : retry()
    }
    const fourth = await retry()
    expect(namesOf(fourth)).toEqual(['seen'])
    await until(() => second.messages.length > 0)
    expect(namesOf(second)[0]).toBe('seen')
    for (const stream of [second, fourth]) stream.cut()
    await limited.close()
  })

  it('ends with an error when the server stops', async () => {
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
