import { createHash } from 'node:crypto'
import { serverAudits } from 'graphql-http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { codeOf, serveRoute } from './http-route-fixture.ts'

let route: Awaited<ReturnType<typeof serveRoute>>
beforeAll(async () => {
  route = await serveRoute()
})
afterAll(() => route.app.close())

describe('GraphQL over HTTP', () => {
  const audits = serverAudits({ url: () => route.url })

  it('is checked by 61 audits', () => expect(audits).toHaveLength(61))

  it.each(audits)('$id $name', async ({ fn }) => {
    expect(await fn()).toMatchObject({ status: 'ok' })
  })
})

describe('the caller of a GraphQL request', () => {
  it('needs no credentials for introspection and version, including in fragments', async () => {
    const query = '{ ...A } fragment A on Query { ... { v: version } __typename __schema { queryType { name } } }'
    expect((await route.post({ query })).json().data).toMatchObject({ v: '1.0.0' })
  })

  it.each([
    '{ me }',
    '{ version me }',
    '{ ...A } fragment A on Query { version ... { me } }',
    'mutation { change(to: "a") }',
  ])('needs credentials for %s', async (query) => {
    const response = await route.post({ query })
    expect(response.statusCode).toBe(401)
    expect(response.headers['www-authenticate']).toBe('Signature')
    expect(response.json().errors[0].extensions).toEqual({ code: 'UNAUTHENTICATED', reason: 'missing' })
  })

  it('is rejected for invalid credentials before parsing, even if the operation needs none', async () => {
    for (const payload of [{ query: '{ version }' }, 'no JSON']) {
      const response = await route.post(payload, { 'x-user': 'bad' })
      expect(response.statusCode).toBe(401)
      expect(response.json().errors[0].extensions).toEqual({ code: 'UNAUTHENTICATED', reason: 'signature' })
    }
  })

  it('is authenticated against the raw bytes of the body', async () => {
    const payload = '{ "query" :\n "{ me }" , "ü": 1}'
    const response = await route.post(payload, { 'x-user': 'ann' })
    expect(response.json()).toEqual({ data: { me: 'ann' } })
    expect(route.recorded.bytes.at(-1)).toBe(Buffer.byteLength(payload))
  })

  it('receives status 503 while the server cannot look up viewers', async () => {
    const response = await route.post({ query: '{ version }' }, { 'x-user': 'away' })
    expect(response.statusCode).toBe(503)
    expect(response.headers['retry-after']).toBe('1')
    expect(codeOf(response)).toBe('UNAVAILABLE')
  })

  it('may run queries but not mutations if it is read-only', async () => {
    expect((await route.post({ query: '{ me }' }, { 'x-user': 'ro' })).json().data).toEqual({ me: 'ro' })
    const response = await route.post(
      { query: 'mutation { a: change(to: "x") b: change(to: "y") }' },
      { 'x-user': 'ro' },
    )
    expect(response.statusCode).toBe(200)
    expect(response.json().data).toBeNull()
    expect(response.json().errors).toMatchObject([
      { path: ['a'], extensions: { code: 'FORBIDDEN' } },
      { path: ['b'], extensions: { code: 'FORBIDDEN' } },
    ])
    expect(route.recorded.changes).not.toContain('x')
  })
})

describe('a GraphQL request over HTTP', () => {
  const query = '{ version }'

  it.each([
    ['an array', [{ query }, { query }], /is an array/],
    ['invalid JSON', '{"query": ', /not valid JSON/],
    ['nothing', '', /no body/],
    ['a number', '7', /must be a JSON object/],
    ['null', 'null', /must be a JSON object/],
    ['no query', { variables: {} }, /no query; send/],
    ['an empty query', { query: '' }, /no query; send/],
    ['a number as its query', { query: 7 }, /query must be a string/],
    ['a list of variables', { query, variables: [] }, /variables must be a JSON object/],
    ['invalid UTF-8', Buffer.from('{"query": "{ version }", "x": "\xff"}', 'latin1'), /not UTF-8/],
    ['__proto__', '{"query": "{ version }", "variables": {"a": [{"__proto__": {"b": 1}}]}}', /__proto__/],
    ['an escaped __proto__', '{"query": "{ version }", "\\u005f_proto__": 1}', /__proto__/],
  ])('is rejected if its body contains %s', async (_name, payload, message) => {
    const response = await route.post(payload)
    expect(response.statusCode).toBe(400)
    expect(codeOf(response)).toBe('BAD_USER_INPUT')
    expect(response.json().errors[0].message).toMatch(message)
  })

  it('can contain __proto__ as a value', async () => {
    const response = await route.post(
      { query: 'query ($t: String) { echo(text: $t) }', variables: { t: '__proto__' } },
      { 'x-user': 'a' },
    )
    expect(response.json().data).toEqual({ echo: '__proto__' })
  })

  it('is rejected if variables in its URL contain __proto__', async () => {
    const variables = encodeURIComponent('{"__proto__": 1}')
    const response = await route.app.inject(`/graphql/v1?query={version}&variables=${variables}`)
    expect(response.statusCode).toBe(400)
    expect(codeOf(response)).toBe('BAD_USER_INPUT')
  })

  it.each([
    'text/plain',
    'application/json; charset=latin1',
    'application/x-www-form-urlencoded',
    'application/jsonp',
    'nonsense',
  ])('is rejected with the content type %s', async (type) => {
    const response = await route.post({ query }, { 'content-type': type })
    expect(response.statusCode).toBe(415)
    expect(codeOf(response)).toBe('BAD_USER_INPUT')
  })

  it('is rejected if its body exceeds 1 MiB', async () => {
    const body = (bytes: number): string => JSON.stringify({ query }).padEnd(bytes)
    const response = await route.post(body(1024 * 1024 + 1))
    expect(response.statusCode).toBe(413)
    expect(codeOf(response)).toBe('LIMIT_EXCEEDED')
    expect(response.json().errors[0].message).toContain('1048577')
    expect((await route.post(body(1024 * 1024))).statusCode).toBe(200)
  })

  describe('with a query hash', () => {
    const query = '{ version }'
    const sha256Hash = createHash('sha256').update(query).digest('hex')
    const extensions = { persistedQuery: { version: 1, sha256Hash } }
    const accepted = ['application/json', 'application/graphql-response+json']
    const get = (parameters: Record<string, string>, accept: string) =>
      route.app.inject({ method: 'GET', url: `/graphql/v1?${new URLSearchParams(parameters)}`, headers: { accept } })

    it.each(accepted)('fails with PERSISTED_QUERY_NOT_FOUND without a query, as %s', async (accept) => {
      const responses = [
        await route.post({ operationName: 'A', variables: {}, extensions }, { accept }),
        await route.post({ query: '', extensions }, { accept }),
        await get({ extensions: JSON.stringify(extensions) }, accept),
        await get({ query: '', extensions: JSON.stringify(extensions) }, accept),
      ]
      for (const response of responses) {
        expect(response.statusCode).toBe(200)
        expect(response.headers['content-type']).toContain(accept)
        expect(response.headers['cache-control']).toBe('no-store')
        expect(response.json()).toEqual({
          errors: [{ message: 'PersistedQueryNotFound', extensions: { code: 'PERSISTED_QUERY_NOT_FOUND' } }],
        })
      }
    })

    it.each(accepted)('is executed with a query, as %s', async (accept) => {
      const responses = [
        await route.post({ query, extensions }, { accept }),
        await get({ query, extensions: JSON.stringify(extensions) }, accept),
      ]
      for (const response of responses) expect(response.json()).toEqual({ data: { version: '1.0.0' } })
    })

    it('is recognized only in the extension persistedQuery', async () => {
      expect((await route.post({ extensions: { a: 1 } })).statusCode).toBe(400)
      expect((await get({ extensions: '{' }, 'application/json')).statusCode).toBe(400)
    })
  })

  it('can use GET for a query but not for a mutation', async () => {
    expect((await route.app.inject('/graphql/v1?query={version}')).json()).toEqual({ data: { version: '1.0.0' } })
    const response = await route.app.inject({
      url: '/graphql/v1?query=mutation{change(to:"get")}',
      headers: { 'x-user': 'ann' },
    })
    expect(response.statusCode).toBe(405)
    expect(response.headers.allow).toBe('POST')
    expect(codeOf(response)).toBe('BAD_USER_INPUT')
    expect(route.recorded.changes).not.toContain('get')
  })

  it.each(['PUT', 'DELETE', 'PATCH'] as const)('is rejected with method %s', async (method) => {
    const response = await route.app.inject({ method, url: '/graphql/v1', payload: {} })
    expect(response.statusCode).toBe(405)
    expect(response.headers.allow).toBe('GET, POST')
  })

  it('is rejected if it is a subscription', async () => {
    const response = await route.post({ query: 'subscription { ticks }' }, { 'x-user': 'ann' })
    expect(response.statusCode).toBe(400)
    expect(response.json().errors[0].message).toContain('/graphql/v1/stream')
  })
})
