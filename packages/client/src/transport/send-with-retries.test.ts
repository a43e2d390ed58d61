import { parseSignature, verifySignature } from '@muster/http-signature'
import { describe, expect, it } from 'vitest'
import { claimPorts } from '../../../server/test/harness/ports.ts'
import { failed, type Reply, rejected, secret, startFakeServer, success } from '../../test/fake-server.ts'
import {
  BadAnswerError,
  ConflictError,
  Muster,
  MusterError,
  NoAnswerError,
  OutcomeUnknownError,
  RateLimitedError,
  UnreachableError,
} from '../index.ts'

describe('requests', () => {
  it.each(['rfc9421', 'cavage'] as const)('signs requests in form %s, including the body', async (form) => {
    const { muster, received } = await startFakeServer([success], { form })
    await muster.query('query Q($a: String) { version }', { a: 'é' })
    const { request, raw, body } = received[0]!
    expect(body).toEqual({ query: 'query Q($a: String) { version }', variables: { a: 'é' } })
    const parsed = parseSignature({ method: 'POST', target: request.url!, rawHeaders: request.rawHeaders })
    if (parsed.outcome !== 'signed') throw new Error(`expected a signed request, but the outcome is ${parsed.outcome}`)
    expect(parsed.signature.form).toBe(form)
    const verified = verifySignature(parsed.signature, {
      key: { algorithm: 'hmac-sha256', secret: Buffer.from(secret, 'base64') },
      requireDigest: true,
      body: raw,
      now: Math.floor(Date.now() / 1_000),
    })
    expect(verified).toMatchObject({ ok: true, coversBody: true })
  })

  it('sends requests to /graphql/v1 below the server URL, even if the URL ends in a slash', async () => {
    const { received, url } = await startFakeServer([success])
    await new Muster({ url: `${url}/base/`, keyId: 'MKTESTKEY', secret }).query('{ version }')
    expect(received[0]!.request.url).toBe('/base/graphql/v1')
  })

  it('sends requests with a custom signer and a custom fetch', async () => {
    const { received, url } = await startFakeServer([success])
    const sent: unknown[] = []
    const muster = new Muster({
      url,
      sign: ({ method, url, body }) => ({ 'X-Signed': `${method} ${url} ${body.length}` }),
      fetch: (input, init) => {
        sent.push(input)
        return fetch(input, init)
      },
    })
    await muster.query('{ version }')
    expect(sent).toEqual([`${url}/graphql/v1`])
    expect(received[0]!.request.headers['x-signed']).toBe(`POST ${url}/graphql/v1 ${received[0]!.raw.length}`)
  })
})

describe('new Muster', () => {
  it.each([
    ['without an http URL', { url: 'muster.example.com', keyId: 'k', secret }, 'http or https'],
    ['with a user in its URL', { url: 'http://a:b@localhost', keyId: 'k', secret }, 'without a user'],
    ['without a key ID', { url: 'http://localhost', secret }, 'keyId'],
    ['without a secret, privateKey, or sign', { url: 'http://localhost', keyId: 'k' }, 'secret, privateKey, and sign'],
    ['with both secret and privateKey', { url: 'http://localhost', keyId: 'k', secret, privateKey: 'x' }, 'one of'],
  ])('throws %s', (_name, options, message) => {
    expect(() => new Muster(options)).toThrow(TypeError)
    expect(() => new Muster(options)).toThrow(message)
  })

  it.each([
    [{ secret: 'not base64!' }, 'base64'],
    [{ secret: undefined, privateKey: '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----' }, 'Ed25519'],
    [{ secret: undefined, privateKey: 'ssh-ed25519 AAAA' }, 'PKCS #8'],
  ])('explains an invalid key and sends nothing: %j', async (key, message) => {
    const { muster, received } = await startFakeServer([success], key)
    await expect(muster.query('{ version }')).rejects.toThrow(message)
    await expect(muster.query('{ version }')).rejects.toThrow(TypeError)
    expect(received).toEqual([])
  })
})

describe('errors', () => {
  it('throws an error whose class matches the code, with all details', async () => {
    const reply = failed('CONFLICT', 200, { 'x-request-id': 'req-7' })
    const { muster } = await startFakeServer([reply])
    const error = await muster.query('mutation { x }').catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(ConflictError)
    expect(error).toMatchObject({ name: 'ConflictError', code: 'CONFLICT', message: 'error CONFLICT', status: 200 })
    expect(error).toMatchObject({ path: ['x', 0], requestId: 'req-7' })
  })

  it('throws MusterError for an unknown code', async () => {
    const { muster } = await startFakeServer([failed('BRAND_NEW')])
    await expect(muster.query('{ x }')).rejects.toMatchObject({ code: 'BRAND_NEW', name: 'MusterError' })
    await expect(muster.query('{ x }')).rejects.toBeInstanceOf(MusterError)
  })

  it('includes errors in the response that execute returns', async () => {
    const { muster } = await startFakeServer([failed('NOT_FOUND')])
    expect(await muster.execute('{ x }')).toMatchObject({ errors: [{ extensions: { code: 'NOT_FOUND' } }], data: null })
  })

  it('reports a response that is not from the API', async () => {
    const { muster } = await startFakeServer([{ ...proxy, status: 404 }])
    await expect(muster.query('{ x }')).rejects.toBeInstanceOf(BadAnswerError)
    await expect(muster.query('mutation { x }')).rejects.toBeInstanceOf(BadAnswerError)
  })
})

it('reports an error page of a proxy to a query as UNAVAILABLE', async () => {
  const { muster } = await startFakeServer([proxy], { retries: 0 })
  const error = { name: 'UnavailableError', code: 'UNAVAILABLE', status: 502 }
  await expect(muster.query('{ x }')).rejects.toMatchObject(error)
})

const mutation = '# query\nmutation M { x(text: "query {") }'
const idempotent = 'mutation { setAttribute(serviceId: "a", name: "b", value: "c") }'
const creation = 'mutation { registerDevice(name: "a") { device { id } } }'
const proxy = { status: 502, body: '<html>', headers: { 'content-type': 'text/html' } }

describe('retries', () => {
  it.each([
    ['429', rejected('RATE_LIMITED', 429, { 'retry-after': '0' })],
    ['429 from a proxy', { status: 429, body: 'slow down' }],
    ['503 before anything ran', rejected('UNAVAILABLE', 503)],
  ])('retries a mutation that did not run: %s', async (_name, reply) => {
    const { muster, received } = await startFakeServer([reply, success])
    await muster.query(mutation)
    expect(received).toHaveLength(2)
  })

  it.each([
    ['503 during the operation', failed('UNAVAILABLE', 503)],
    ['502', proxy],
    ['a broken connection', { disconnect: true }],
  ])('retries queries and mutations that set a value: %s', async (_name, reply) => {
    for (const document of ['query mutations { x }', idempotent]) {
      const { muster, received } = await startFakeServer([reply, reply, success])
      await muster.query(document)
      expect(received).toHaveLength(3)
    }
  })

  it.each<[string, Reply]>([
    ['503 during the operation', failed('UNAVAILABLE', 503)],
    ['UNAVAILABLE with status 200', failed('UNAVAILABLE')],
    ['502', proxy],
    ['502 with errors', rejected('BAD_GATEWAY', 502)],
    ['504 with errors and data', failed('TIMEOUT', 504)],
    ['503 from a proxy', { ...proxy, status: 503 }],
    ['500 from a proxy', { ...proxy, status: 500 }],
    ['a broken connection', { disconnect: true }],
    ['an incomplete response', { body: '', headers: { 'content-length': '10' }, disconnect: true }],
    ['no response in time', { noResponse: true }],
  ])('does not retry a mutation that may have run: %s', async (_name, reply) => {
    const { muster, received } = await startFakeServer([reply], reply.noResponse ? { timeout: 1_000 } : {})
    await expect(muster.query(mutation)).rejects.toBeInstanceOf(OutcomeUnknownError)
    // On a busy machine, the timeout may expire before the request arrives.
    expect(received.length).toBeLessThan(2)
  })

  it.each<[string, Reply]>([
    ['a broken connection', { disconnect: true }],
    ['503 during the operation', failed('UNAVAILABLE', 503)],
    [
      'an earlier attempt that is still running',
      {
        status: 409,
        headers: { 'retry-after': '0' },
        body: { errors: [{ message: 'x', extensions: { code: 'CONFLICT', reason: 'still-running' } }] },
      },
    ],
  ])('retries mutations that create something with the same Idempotency-Key: %s', async (_name, reply) => {
    const { muster, received } = await startFakeServer([reply, reply, success])
    await muster.query(creation)
    await muster.query(creation)
    const keys = received.map(({ request }) => request.headers['idempotency-key'])
    expect(keys).toHaveLength(4)
    expect(keys[0]).toMatch(/^"[0-9a-f-]{36}"$/)
    expect(new Set(keys.slice(0, 3)).size).toBe(1)
    expect(keys[3]).not.toBe(keys[0])
  })

  it("sends the caller's Idempotency-Key, and sends no key with other operations", async () => {
    const { muster, received } = await startFakeServer([success])
    await muster.query(creation, {}, { idempotencyKey: 'order "7"' })
    await muster.query(idempotent)
    expect(received.map(({ request }) => request.headers['idempotency-key'])).toEqual(['"order \\"7\\""', undefined])
    await expect(muster.query(creation, {}, { idempotencyKey: 'é' })).rejects.toThrow('printable ASCII')
  })

  it("lets the caller's idempotent option override whether a mutation is retried", async () => {
    const once = await startFakeServer([{ disconnect: true }, success])
    await expect(once.muster.query(idempotent, {}, { idempotent: false })).rejects.toBeInstanceOf(OutcomeUnknownError)
    const again = await startFakeServer([{ disconnect: true }, success])
    await again.muster.query(mutation, {}, { idempotent: true })
    expect([once.received.length, again.received.length]).toEqual([1, 2])
  })

  it('stops immediately if the server requests a long delay', async () => {
    const { muster, received } = await startFakeServer([rejected('RATE_LIMITED', 429, { 'retry-after': '3600' })])
    await expect(muster.query('{ x }')).rejects.toBeInstanceOf(RateLimitedError)
    expect(received).toHaveLength(1)
  })

  it('waits as long as the server requests', async () => {
    const { muster, received } = await startFakeServer([rejected('RATE_LIMITED', 429, { 'retry-after': '1' }), success])
    const began = performance.now()
    await muster.query('{ x }')
    // Timers may fire a few milliseconds early.
    expect(performance.now() - began).toBeGreaterThanOrEqual(990)
    const [first, second] = received.map(({ request }) => request.headers.signature)
    expect(first).not.toBe(second)
  })

  it('retries while the operation is rate limited unless retries is 0, and does not count these attempts', async () => {
    const limited = rejected('RATE_LIMITED', 429, { 'retry-after': '0' })
    const { muster, received } = await startFakeServer([limited, limited, limited, success], { retries: 1 })
    await muster.query(mutation)
    expect(received).toHaveLength(4)
    const once = await startFakeServer([limited, success])
    await expect(once.muster.query(mutation, {}, { retries: 0 })).rejects.toBeInstanceOf(RateLimitedError)
    expect(once.received).toHaveLength(1)
  })

  it('throws the last error after all retries', async () => {
    const [port] = await claimPorts(1)
    const muster = new Muster({ url: `http://127.0.0.1:${port}`, keyId: 'MKTESTKEY', secret, retries: 1 })
    await expect(muster.query('mutation { x }')).rejects.toBeInstanceOf(UnreachableError)
    const { muster: broken, received } = await startFakeServer([{ disconnect: true }], { retries: 2 })
    await expect(broken.query('{ x }')).rejects.toMatchObject({ name: 'NoAnswerError', code: 'NO_ANSWER' })
    expect(received).toHaveLength(3)
    await expect(broken.query('{ x }', {}, { retries: 0 })).rejects.toBeInstanceOf(NoAnswerError)
    expect(received).toHaveLength(4)
  })

  it('reports that a mutation may have run if only the last attempt was rejected', async () => {
    for (const reply of [{ disconnect: true }, failed('UNAVAILABLE', 503)]) {
      const { muster } = await startFakeServer([reply, rejected('UNAVAILABLE', 503)], { retries: 1 })
      await expect(muster.query(creation)).rejects.toBeInstanceOf(OutcomeUnknownError)
    }
  })

  it.each([
    ['while it waits', rejected('RATE_LIMITED', 429, { 'retry-after': '60' })],
    ['while an attempt is running', { noResponse: true }],
  ])('stops retrying when the caller aborts %s', async (_name, reply) => {
    const { muster, received } = await startFakeServer([reply])
    const stop = new AbortController()
    const query = muster.query('{ x }', {}, { signal: stop.signal })
    query.catch(() => {})
    await expect.poll(() => received.length, { timeout: 60_000 }).toBe(1)
    stop.abort(new Error('enough'))
    await expect(query).rejects.toThrow('enough')
    await expect(muster.query('{ x }', {}, { signal: stop.signal })).rejects.toThrow('enough')
    expect(received).toHaveLength(1)
  })
})

describe('lists', () => {
  const page = (ids: string[], hasMore: boolean, cursor: string | null) => ({
    body: { data: { login: { devices: { items: ids.map((id) => ({ id })), hasMore, cursor } } } },
  })

  it('loads pages by cursor', async () => {
    const { muster, received } = await startFakeServer([page(['a', 'b'], true, 'place'), page(['c'], false, 'end')])
    const ids: string[] = []
    for await (const { id } of muster.devices({ platform: ['linux'], select: { id: true } })) ids.push(id)
    expect(ids).toEqual(['a', 'b', 'c'])
    const values = received.map(({ body }) => Object.values(body.variables ?? {}))
    expect(values).toEqual([
      ['id asc', ['linux'], 1_000, null],
      ['id asc', ['linux'], 1_000, 'place'],
    ])
  })

  it('loads smaller pages if a response would be too large', async () => {
    const { muster, received } = await startFakeServer([
      failed('LIMIT_EXCEEDED'),
      rejected('QUERY_TOO_COMPLEX', 400),
      page(['a'], true, 'x'),
      page(['b'], false, null),
    ])
    expect(await muster.devices({ select: { id: true } }).toArray()).toEqual([{ id: 'a' }, { id: 'b' }])
    expect(received.map(({ body }) => Object.values(body.variables ?? {})[1])).toEqual([1_000, 500, 250, 250])
  })

  it('retries a list more often than other calls', async () => {
    const { muster, received } = await startFakeServer([...Array<Reply>(5).fill(proxy), page(['a'], false, null)])
    expect(await muster.devices({ select: { id: true } }).toArray()).toEqual([{ id: 'a' }])
    expect(received).toHaveLength(6)
  })

  it('throws the error if a page cannot be smaller', async () => {
    const { muster, received } = await startFakeServer([failed('LIMIT_EXCEEDED')])
    await expect(muster.devices({ size: 2 }).toArray()).rejects.toMatchObject({ code: 'LIMIT_EXCEEDED' })
    expect(received).toHaveLength(2)
  })
})
