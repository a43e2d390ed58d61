import { once } from 'node:events'
import { connect } from 'node:net'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { openStream } from '../../../test/clients/event-stream.ts'
import { registerDevice } from '../../../test/clients/mqtt-device.ts'
import { restClient } from '../../../test/clients/rest.ts'
import { sharedTestApp, type TestApp } from '../../../test/harness/app.ts'

const warnings: object[] = []
const log = pino({ level: 'warn' }, { write: (line: string) => void warnings.push(JSON.parse(line)) })
const app = sharedTestApp({ env: { MUSTER_MOST_REQUESTS: '3' }, log })
/** A server for one test. On a busy machine, its low limit on lag could make it reject the requests of other tests. */
let lagLimited: TestApp
beforeAll(async () => {
  lagLimited = await app.startAnother({ env: { MUSTER_MOST_LAG: '200' } })
})
afterAll(() => lagLimited.close())

const small = '{ login { id } }'
/** Blocks the event loop for 300 ms. */
const block = () => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300)
const MANY = 200
/**
 * Returns a Signature-Input header that names the owner's access key, which identifies the caller before the body
 * arrives.
 */
const claim = () => `sig1=("@method");keyid="${app.owner.keyId}"`
const big = () =>
  `POST /graphql/v1 HTTP/1.1\r\nhost: x\r\nsignature-input: ${claim()}\r\ncontent-type: application/json\r\ncontent-length: 900000\r\n\r\n${' '.repeat(900_000)}`
async function statusesOf(requests: string[]): Promise<number[]> {
  const { hostname, port } = new URL(app.url)
  const socket = connect({ host: hostname, port: Number(port) })
  socket.write(requests.join(''))
  let responses = ''
  for await (const part of socket) responses += String(part)
  return Array.from(responses.matchAll(/HTTP\/1\.1 (\d{3})/g), ([, status]) => Number(status))
}
const metrics = async ({ url } = app) => (await fetch(`${url}/metrics`)).text()

test("rejects a user's requests above the limit until fewer requests are in flight", async () => {
  const device = await registerDevice(app.owner)
  const document = 'mutation ($id: String!, $name: String!) { updateDevice(deviceId: $id, name: $name) { name } }'
  const stream = await openStream({ app, user: app.owner, query: 'subscription { events { id } }' })

  const [held, waiting] = await app.db.transaction().execute(async (transaction) => {
    await transaction.selectFrom('device').select('id').where('id', '=', device.id).forUpdate().execute()
    const held = ['a', 'b', 'c'].map((name) => app.owner.query(document, { id: device.id, name }))
    await vi.waitFor(async () => expect(await metrics()).toContain('muster_requests_under_way 3'), { timeout: 60_000 })

    const rejected = await app.owner.query(small)
    expect(rejected.status).toBe(503)
    expect(rejected.headers.get('retry-after')).toMatch(/^[123]$/)
    expect(rejected.headers.get('ratelimit')).toMatch(/^"address";r=\d+;t=1$/)
    expect(rejected.headers.get('ratelimit-policy')).toMatch(/^"address";q=\d+;w=\d+$/)
    expect(rejected.headers.get('x-request-id')).toMatch(/^[\da-f-]{36}$/)
    expect(rejected.headers.get('x-content-type-options')).toBe('nosniff')
    expect(rejected.errors).toMatchObject([{ extensions: { code: 'UNAVAILABLE' } }])
    expect(rejected.data).toBeUndefined()
    const rest = await restClient(app.url, app.owner)('GET', '/user')
    expect([rest.status, rest.code]).toEqual([503, 'UNAVAILABLE'])
    expect(rest.headers.get('deprecation')).toMatch(/^@\d+$/)
    expect(rest.headers.get('content-type')).toBe('application/json; charset=utf-8')
    const head = await fetch(`${app.url}/graphql/v1`, { method: 'HEAD', headers: { 'signature-input': claim() } })
    expect([head.status, await head.text()]).toEqual([503, ''])
    // The server does not process the body, but still serves the next request on the connection.
    expect(await statusesOf([big(), 'GET /healthz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n'])).toEqual([
      503, 200,
    ])
    expect(rejected.headers.get('content-type')).toBe('application/graphql-response+json; charset=utf-8')
    for (const path of ['/healthz', '/readyz', '/metrics']) {
      expect([path, (await fetch(`${app.url}${path}`)).status]).toEqual([path, 200])
    }
    expect(await metrics()).toMatch(/muster_requests_shed_total\{reason="requests"\} \d/)
    const counted = /muster_requests_total\{operation="POST \/graphql\/v1",status="503",code="UNAVAILABLE"\} \d/
    expect(await metrics()).toMatch(counted)
    const began = expect.objectContaining({ msg: expect.stringMatching(/^load shedding began/) })
    expect(warnings).toContainEqual(began)
    return [held, rejected]
  })
  expect(waiting.status).toBe(503)
  expect((await Promise.all(held)).map(({ status, errors }) => [status, errors])).toEqual(
    Array.from({ length: 3 }, () => [200, undefined]),
  )
  expect((await app.owner.query(small)).status).toBe(200)
  stream.cut()
})

test('counts a request once if the server rejects it after its body arrives', async () => {
  const another = await app.startAnother({ env: { MUSTER_MOST_REQUESTS: '3' } })
  onTestFinished(() => another.close())
  const device = await registerDevice(app.owner)
  const document = 'mutation ($id: String!, $name: String!) { updateDevice(deviceId: $id, name: $name) { name } }'
  await another.as(app.owner).query(small)
  const { hostname, port } = new URL(another.url)
  const socket = connect({ host: hostname, port: Number(port) })
  const headers = `signature-input: ${claim()}\r\ncontent-type: application/json\r\ncontent-length: 2`
  socket.write(`POST /graphql/v1 HTTP/1.1\r\nhost: x\r\nconnection: close\r\n${headers}\r\n\r\n{`)
  await once(socket, 'connect')
  const held = await app.db.transaction().execute(async (transaction) => {
    await transaction.selectFrom('device').select('id').where('id', '=', device.id).forUpdate().execute()
    const held = ['a', 'b', 'c'].map((name) => another.as(app.owner).query(document, { id: device.id, name }))
    await vi.waitFor(async () => expect(await metrics(another)).toContain('muster_requests_under_way 3'), {
      timeout: 60_000,
    })
    socket.write('}')
    const [response] = await once(socket, 'data')
    expect(String(response)).toMatch(/^HTTP\/1\.1 503 /)
    return held
  })
  await Promise.all(held)
  const counted = await metrics(another)
  expect(counted).toMatch(/^muster_requests_shed_total\{reason="requests"\} 1$/m)
  expect(counted).toMatch(
    /^muster_requests_total\{operation="POST \/graphql\/v1",status="503",code="UNAVAILABLE"\} 1$/m,
  )
})

test('serves other users and addresses while one user is at the limit', async () => {
  const other = await app.createUser()
  const device = await registerDevice(app.owner)
  const document = 'mutation ($id: String!, $name: String!) { updateDevice(deviceId: $id, name: $name) { name } }'
  const held = await app.db.transaction().execute(async (transaction) => {
    await transaction.selectFrom('device').select('id').where('id', '=', device.id).forUpdate().execute()
    const held = ['a', 'b', 'c'].map((name) => app.owner.query(document, { id: device.id, name }))
    await vi.waitFor(async () => expect(await metrics()).toContain('muster_requests_under_way 3'), { timeout: 60_000 })

    expect((await app.owner.query(small)).status).toBe(503)
    expect((await other.query(small)).status).toBe(200)
    expect((await app.owner.query(small)).status).toBe(503)
    const withoutKey = await fetch(`${app.url}/graphql/v1/schema.graphql`)
    expect(withoutKey.status).toBe(200)
    return held
  })
  expect((await Promise.all(held)).map(({ status }) => status)).toEqual([200, 200, 200])
})

test('counts requests with an invalid signature for an address that has used up its attempts', async () => {
  const env = { MUSTER_MOST_REQUESTS: '3', MUSTER_TRUSTED_PROXIES: '127.0.0.1/32' }
  const another = await app.startAnother({ env })
  onTestFinished(() => another.close())
  const owner = another.as(app.owner)
  const device = await registerDevice(app.owner)
  const document = 'mutation ($id: String!, $name: String!) { updateDevice(deviceId: $id, name: $name) { name } }'
  const forge = async () => {
    const headers = {
      'content-type': 'application/json',
      'signature-input': claim(),
      signature: 'sig1=:AAAA:',
      'x-forwarded-for': '203.0.113.7',
    }
    const body = JSON.stringify({ query: small })
    return (await fetch(`${another.url}/graphql/v1`, { method: 'POST', headers, body })).status
  }
  await owner.query(small)
  for (let times = 0; times < 20; times++) expect(await forge()).toBe(401)
  const held = await app.db.transaction().execute(async (transaction) => {
    await transaction.selectFrom('device').select('id').where('id', '=', device.id).forUpdate().execute()
    const held = ['a', 'b', 'c'].map((name) => owner.query(document, { id: device.id, name }))
    await vi.waitFor(async () => expect((await owner.query(small)).status).toBe(503), { timeout: 60_000 })
    // If the forged request counted for the account instead of the address, it would receive 503.
    expect(await forge()).toBe(429)
    return held
  })
  expect((await Promise.all(held)).map(({ status }) => status)).toEqual([200, 200, 200])
})

test('checks the limit again after authentication', async () => {
  const another = await app.startAnother({ env: { MUSTER_MOST_REQUESTS: '3' } })
  onTestFinished(() => another.close())
  const device = await registerDevice(app.owner)
  const document = 'mutation ($id: String!, $name: String!) { updateDevice(deviceId: $id, name: $name) { name } }'
  const { createAccessKey: key } = await app.owner.data('mutation { createAccessKey { key secret } }')
  const fresh = { ...app.owner, keyId: key.key, secret: key.secret }
  // Once the server has authenticated the owner's key, requests with this key count for the account even before their
  // authentication.
  await another.as(app.owner).query(small)
  const held = await app.db.transaction().execute(async (transaction) => {
    await transaction.selectFrom('device').select('id').where('id', '=', device.id).forUpdate().execute()
    const held = ['a', 'b', 'c'].map((name) => another.as(app.owner).query(document, { id: device.id, name }))
    await vi.waitFor(async () => expect(await metrics(another)).toContain('muster_requests_under_way 3'), {
      timeout: 60_000,
    })
    // Send a request with a key that this server has not authenticated yet.
    const rejected = await another.as(fresh).query(small)
    expect([rejected.status, rejected.errors?.[0]?.extensions.code]).toEqual([503, 'UNAVAILABLE'])
    expect(rejected.headers.get('retry-after')).toBe('1')
    return held
  })
  expect((await Promise.all(held)).map(({ status }) => status)).toEqual([200, 200, 200])
})

test('counts requests as in flight while the client reads no responses, until the connection closes', async () => {
  const another = await app.startAnother()
  onTestFinished(() => another.close())
  const { hostname, port } = new URL(another.url)
  const socket = connect({ host: hostname, port: Number(port) })
  socket.pause()
  const page = 'GET /rest/v1/openapi.json HTTP/1.1\r\nhost: x\r\n\r\n'
  socket.write(page.repeat(200))
  const inFlight = async () => Number(/muster_requests_under_way (\d+)/.exec(await metrics(another))?.[1])
  await vi.waitFor(async () => expect(await inFlight()).toBeGreaterThan(0), { timeout: 60_000 })
  expect(await inFlight()).toBeGreaterThan(0)
  socket.destroy()
  await vi.waitFor(async () => expect(await inFlight()).toBe(0), { timeout: 60_000 })
})

test('accepts fewer requests during sustained load', async () => {
  const steady = await app.startAnother({ env: { MUSTER_MOST_REQUESTS: '5', MUSTER_MOST_STANDING: '2' } })
  onTestFinished(() => steady.close())
  const owner = steady.as(app.owner)
  const device = await registerDevice(app.owner)
  const document = 'mutation ($id: String!, $name: String!) { updateDevice(deviceId: $id, name: $name) { name } }'

  const held = await app.db.transaction().execute(async (transaction) => {
    await transaction.selectFrom('device').select('id').where('id', '=', device.id).forUpdate().execute()
    const ask = (name: string) => owner.query(document, { id: device.id, name })
    const held = ['a', 'b'].map(ask)
    await vi.waitFor(async () => expect(await metrics(steady)).toContain('muster_requests_under_way 2'), {
      timeout: 60_000,
    })
    await vi.waitFor(async () => expect((await owner.query(small)).status).toBe(503), { timeout: 60_000 })
    expect((await owner.query(small)).errors?.[0]?.message).toMatch(
      /^the server has had too many requests in flight for more than 2 seconds/,
    )
    expect(await metrics(steady)).toMatch(/muster_requests_shed_total\{reason="standing"\} \d/)
    return held
  })
  expect((await Promise.all(held)).map(({ status }) => status)).toEqual([200, 200])
  expect((await owner.query(small)).status).toBe(200)
})

test('does not count streams as in flight, even with an encoded path', async () => {
  const path = '/graphql/v1/%73tream'
  for (let count = 0; count < 4; count++) {
    const rejected = await openStream({ app, user: app.owner, query: small, path })
    await rejected.ended
    expect(rejected.messages[0]?.data.errors[0].message).toMatch(/^this path serves only subscriptions/)
  }
  const open = await openStream({ app, user: app.owner, query: 'subscription { events { id } }', path })
  expect(open.status).toBe(200)
  await vi.waitFor(async () => expect(await metrics()).toContain('muster_requests_under_way 0'), { timeout: 60_000 })
  expect((await app.owner.query(small)).status).toBe(200)
  open.cut()
})

test('responds to a health check before it has started all queued requests', async () => {
  const another = await app.startAnother()
  const { hostname, port } = new URL(another.url)
  const body = JSON.stringify({ query: '{ __schema { types { name fields { name type { name } } } } }' })
  const many = `POST /graphql/v1 HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`
  const health = 'GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n'
  const sockets = await Promise.all(
    Array.from({ length: MANY + 1 }, async () => {
      const socket = connect({ host: hostname, port: Number(port), noDelay: true })
      socket.write(health)
      await once(socket, 'data')
      return socket
    }),
  )
  const finished: string[] = []
  const ends = sockets.map(async (socket, index) => {
    const sent = index < MANY ? many : health
    socket.write(sent)
    const [response] = await once(socket, 'data')
    expect(String(response)).toMatch(/^HTTP\/1\.1 200 /)
    finished.push(sent)
    socket.destroy()
  })
  // All requests arrive before the server reads the first one.
  block()
  await Promise.all(ends)
  expect(finished.indexOf(health)).toBeLessThan(MANY / 2)
  await another.close()
})

test('does not count requests as in flight after they fail or are aborted', async () => {
  const ends = [
    fetch(`${app.url}/nothing`),
    fetch(`${app.url}/graphql/v1`, { method: 'POST', body: '{' }),
    fetch(`${app.url}/rest/v1/nothing`),
  ]
  await Promise.all(ends)
  const stopped = new AbortController()
  const stopping = fetch(`${app.url}/graphql/v1`, { method: 'POST', body: '{', signal: stopped.signal }).catch(() => {})
  stopped.abort()
  await stopping
  await vi.waitFor(async () => expect(await metrics()).toContain('muster_requests_under_way 0'), { timeout: 60_000 })
})

test('rejects requests while the event loop lags', async () => {
  const until = async (status: number, between: () => void) => {
    while ((await lagLimited.as(app.owner).query(small)).status !== status) between()
  }
  await until(503, block)
  expect(await metrics(lagLimited)).toMatch(/muster_requests_shed_total\{reason="lag"\} \d/)
  await until(200, () => {})
})
