import { once } from 'node:events'
import { connect } from 'node:net'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { openStream } from '../../../test/clients/event-stream.ts'
import { registerDevice } from '../../../test/clients/mqtt-device.ts'
import { restClient } from '../../../test/clients/rest.ts'
import { startTestApp, type TestApp } from '../../../test/harness/app.ts'

const warnings: object[] = []
const log = pino({ level: 'warn' }, { write: (line: string) => void warnings.push(JSON.parse(line)) })
let app: TestApp
/** By itself: on a busy machine any request may find it behind. */
let impatient: TestApp
beforeAll(async () => {
  app = await startTestApp({ env: { MUSTER_MOST_REQUESTS: '3' }, log })
  impatient = await app.startAnother({ env: { MUSTER_MOST_LAG: '200' } })
})
afterAll(async () => {
  await impatient.close()
  await app.close()
})

const small = '{ login { id } }'
/** Sleeps without letting anything else run. */
const block = () => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300)
const MANY = 200
/** Whose requests these are is known before the body: by the key that they claim to be signed with. */
const claim = () => `sig1=("@method");keyid="${app.owner.keyId}"`
const big = () =>
  `POST /graphql/v1 HTTP/1.1\r\nhost: x\r\nsignature-input: ${claim()}\r\ncontent-type: application/json\r\ncontent-length: 900000\r\n\r\n${' '.repeat(900_000)}`
/** Of the answers to requests that are sent one behind the other on one connection. */
async function statusesOf(requests: string[]): Promise<number[]> {
  const { hostname, port } = new URL(app.url)
  const socket = connect({ host: hostname, port: Number(port) })
  socket.write(requests.join(''))
  let answers = ''
  for await (const part of socket) answers += String(part)
  return Array.from(answers.matchAll(/HTTP\/1\.1 (\d{3})/g), ([, status]) => Number(status))
}
const metrics = async ({ url } = app) => (await fetch(`${url}/metrics`)).text()

test('rejects the requests of a user above the limit, and serves them again when there are fewer', async () => {
  const device = await registerDevice(app.owner)
  const document = 'mutation ($id: String!, $name: String!) { updateDevice(deviceId: $id, name: $name) { name } }'
  const stream = await openStream({ app, user: app.owner, query: 'subscription { events { id } }' })

  const [held, waiting] = await app.db.transaction().execute(async (transaction) => {
    await transaction.selectFrom('device').select('id').where('id', '=', device.id).forUpdate().execute()
    const held = ['a', 'b', 'c'].map((name) => app.owner.query(document, { id: device.id, name }))
    await vi.waitFor(async () => expect(await metrics()).toContain('muster_requests_under_way 3'), { timeout: 60_000 })

    const refused = await app.owner.query(small)
    expect(refused.status).toBe(503)
    expect(refused.headers.get('retry-after')).toMatch(/^[123]$/)
    expect(refused.headers.get('ratelimit')).toMatch(/^"address";r=\d+;t=1$/)
    expect(refused.headers.get('ratelimit-policy')).toMatch(/^"address";q=\d+;w=\d+$/)
    expect(refused.headers.get('x-request-id')).toMatch(/^[\da-f-]{36}$/)
    expect(refused.headers.get('x-content-type-options')).toBe('nosniff')
    expect(refused.errors).toMatchObject([{ extensions: { code: 'UNAVAILABLE' } }])
    expect(refused.data).toBeUndefined()
    const rest = await restClient(app.url, app.owner)('GET', '/user')
    expect([rest.status, rest.code]).toEqual([503, 'UNAVAILABLE'])
    expect(rest.headers.get('deprecation')).toMatch(/^@\d+$/)
    expect(rest.headers.get('content-type')).toBe('application/json; charset=utf-8')
    const head = await fetch(`${app.url}/graphql/v1`, { method: 'HEAD', headers: { 'signature-input': claim() } })
    expect([head.status, await head.text()]).toEqual([503, ''])
    // Its body is not read, and what follows on the connection is answered nevertheless.
    expect(await statusesOf([big(), 'GET /healthz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n'])).toEqual([
      503, 200,
    ])
    expect(refused.headers.get('content-type')).toBe('application/graphql-response+json; charset=utf-8')
    for (const path of ['/healthz', '/readyz', '/metrics']) {
      expect([path, (await fetch(`${app.url}${path}`)).status]).toEqual([path, 200])
    }
    expect(await metrics()).toMatch(/muster_requests_shed_total\{reason="requests"\} \d/)
    const counted = /muster_requests_total\{operation="POST \/graphql\/v1",status="503",code="UNAVAILABLE"\} \d/
    expect(await metrics()).toMatch(counted)
    const begun = expect.objectContaining({ msg: expect.stringMatching(/^load shedding began/) })
    expect(warnings).toContainEqual(begun)
    return [held, refused]
  })
  expect(waiting.status).toBe(503)
  expect((await Promise.all(held)).map(({ status, errors }) => [status, errors])).toEqual(
    Array.from({ length: 3 }, () => [200, undefined]),
  )
  expect((await app.owner.query(small)).status).toBe(200)
  stream.cut()
})

test('serves another user and another address while one user holds the limit', async () => {
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

test('decides again when the user is known', async () => {
  const another = await app.startAnother({ env: { MUSTER_MOST_REQUESTS: '3' } })
  onTestFinished(() => another.close())
  const device = await registerDevice(app.owner)
  const document = 'mutation ($id: String!, $name: String!) { updateDevice(deviceId: $id, name: $name) { name } }'
  const { createAccessKey: key } = await app.owner.data('mutation { createAccessKey { key secret } }')
  const fresh = { ...app.owner, keyId: key.key, secret: key.secret }
  const held = await app.db.transaction().execute(async (transaction) => {
    await transaction.selectFrom('device').select('id').where('id', '=', device.id).forUpdate().execute()
    const held = ['a', 'b', 'c'].map((name) => another.as(app.owner).query(document, { id: device.id, name }))
    await vi.waitFor(async () => expect(await metrics(another)).toContain('muster_requests_under_way 3'), {
      timeout: 60_000,
    })
    // The server has not seen this key before.
    const refused = await another.as(fresh).query(small)
    expect([refused.status, refused.errors?.[0]?.extensions.code]).toEqual([503, 'UNAVAILABLE'])
    expect(refused.headers.get('retry-after')).toBe('1')
    return held
  })
  expect((await Promise.all(held)).map(({ status }) => status)).toEqual([200, 200, 200])
})

test('counts a response as in flight until its client has read it', async () => {
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

test('accepts fewer requests during sustained load, until few are in flight', async () => {
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
      /^the server has had more requests in flight for seconds/,
    )
    expect(await metrics(steady)).toMatch(/muster_requests_shed_total\{reason="standing"\} \d/)
    return held
  })
  expect((await Promise.all(held)).map(({ status }) => status)).toEqual([200, 200])
  expect((await owner.query(small)).status).toBe(200)
})

test('does not count streams as in flight, however their path is written', async () => {
  const path = '/graphql/v1/%73tream'
  for (let count = 0; count < 4; count++) {
    const refused = await openStream({ app, user: app.owner, query: small, path })
    await refused.ended
    expect(refused.messages[0]?.data.errors[0].message).toMatch(/^this path serves only subscriptions/)
  }
  const open = await openStream({ app, user: app.owner, query: 'subscription { events { id } }', path })
  expect(open.status).toBe(200)
  expect(await metrics()).toContain('muster_requests_under_way 0')
  expect((await app.owner.query(small)).status).toBe(200)
  open.cut()
})

test('answers a request that arrives behind many others before all of them have started', async () => {
  const unhurried = await app.startAnother()
  const { hostname, port } = new URL(unhurried.url)
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
  const answered: string[] = []
  const ends = sockets.map(async (socket, index) => {
    const asked = index < MANY ? many : health
    socket.write(asked)
    const [answer] = await once(socket, 'data')
    expect(String(answer)).toMatch(/^HTTP\/1\.1 200 /)
    answered.push(asked)
    socket.destroy()
  })
  // Now all of them are there before one is read.
  block()
  await Promise.all(ends)
  expect(answered.indexOf(health)).toBeLessThan(MANY / 2)
  await unhurried.close()
})

test('no longer counts requests that failed', async () => {
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
    while ((await impatient.as(app.owner).query(small)).status !== status) between()
  }
  await until(503, block)
  expect(await metrics(impatient)).toMatch(/muster_requests_shed_total\{reason="lag"\} \d/)
  await until(200, () => {})
})
