import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { codeOf, newType, serveRoute, typeDefs } from './http-route-fixture.ts'

let route: Awaited<ReturnType<typeof serveRoute>>
beforeAll(async () => {
  route = await serveRoute()
})
afterAll(() => route.app.close())

describe('a GraphQL response over HTTP', () => {
  it.each([
    ['syntax', { query: '{ version' }],
    ['validation', { query: '{ nothing }' }],
    ['variables', { query: 'query ($t: String!) { echo(text: $t) }' }],
    ['operation name', { query: 'query A { version }', operationName: 'B' }],
  ])('has status 400 for an invalid %s, or status 200 as application/json', async (_name, payload) => {
    const response = await route.post(payload, { accept: newType })
    expect(response.statusCode).toBe(400)
    expect(response.headers['content-type']).toBe(`${newType}; charset=utf-8`)
    expect(response.json()).toEqual({ errors: [expect.objectContaining({ extensions: { code: 'BAD_USER_INPUT' } })] })
    expect((await route.post(payload, { accept: 'application/json' })).statusCode).toBe(200)
  })

  it.each([newType, 'application/json'])(
    'has status 400 for a query that is too complex, with the media type %s',
    async (accept) => {
      const query = `{ ${Array.from({ length: 16 }, (_, index) => `a${index}: version`).join(' ')} }`
      const response = await route.post({ query }, { accept })
      expect(response.statusCode).toBe(400)
      expect(codeOf(response)).toBe('QUERY_TOO_COMPLEX')
    },
  )

  it.each([
    [undefined, 'application/json'],
    ['*/*', 'application/json'],
    [newType, newType],
    [`application/json;q=0.5, ${newType}`, newType],
    [`${newType};q=0.5, application/json`, 'application/json'],
    ['text/html, */*;q=0.1', 'application/json'],
  ])('has a media type that Accept allows: %s selects %s', async (accept, type) => {
    const response = await route.post({ query: '{ version }' }, accept ? { accept } : {})
    expect(response.headers['content-type']).toBe(`${type}; charset=utf-8`)
  })

  it.each(['text/html', 'application/json; charset=latin1', 'application/json;q=0'])(
    'has status 406 for Accept %s',
    async (accept) => {
      expect((await route.post({ query: '{ version }' }, { accept })).statusCode).toBe(406)
    },
  )

  it('includes the request ID', async () => {
    for (const payload of [{ query: '{ version }' }, 'no JSON', { query: '{ me }' }])
      expect((await route.post(payload)).headers['x-request-id']).toMatch(/./)
  })

  it('contains the request ID of an internal error, but not its details', async () => {
    const response = await route.post({ query: '{ crash version }' }, { 'x-user': 'ann' })
    expect(response.statusCode).toBe(200)
    const [error] = response.json().errors
    expect(response.json().data).toEqual({ crash: null, version: '1.0.0' })
    expect(error).toMatchObject({ path: ['crash'], locations: [{ line: 1, column: 3 }] })
    expect(error.extensions).toEqual({ code: 'INTERNAL', requestId: response.headers['x-request-id'] })
    expect(response.body).not.toContain('1234')
    expect(route.recorded.internal.at(-1)).toMatchObject({ message: 'the password is 1234' })
  })

  it('contains the code and message of an API error', async () => {
    for (let use = 1; use <= 3; use += 1) {
      const response = await route.post({ query: '{ refused away }' }, { 'x-user': 'ann' })
      expect(response.json().errors).toMatchObject([
        { message: 'size must be from 1 to 1000, not 0', path: ['refused'], extensions: { code: 'BAD_USER_INPUT' } },
        { path: ['away'], extensions: { code: 'UNAVAILABLE' } },
      ])
      expect(response.body).not.toContain('10.0.0.1')
    }
  })

  it('has status 503 only if the database was unavailable for every field', async () => {
    for (const accept of [newType, 'application/json']) {
      const response = await route.post({ query: '{ away again: away }' }, { 'x-user': 'ann', accept })
      expect(response.statusCode).toBe(503)
      expect(response.headers['retry-after']).toBe('1')
      expect(response.json()).toMatchObject({
        data: { away: null, again: null },
        errors: [{ extensions: { code: 'UNAVAILABLE' } }, { extensions: { code: 'UNAVAILABLE' } }],
      })
    }
    for (const query of ['{ away echo }', '{ away version }', '{ away refused }'])
      expect((await route.post({ query }, { 'x-user': 'ann' })).statusCode).toBe(200)
  })

  it('fails with LIMIT_EXCEEDED above 32 MiB', async () => {
    expect((await route.post({ query: '{ big(mib: 31) }' }, { 'x-user': 'ann' })).json().data.big).toHaveLength(
      31 * 512 * 1024,
    )
    const response = await route.post({ query: '{ big(mib: 32) }' }, { 'x-user': 'ann' })
    expect(response.json()).toMatchObject({ data: null, errors: [{ extensions: { code: 'LIMIT_EXCEEDED' } }] })
    expect(response.json().errors[0].message).toContain('smaller size')
  })

  it('has status 429 and Retry-After for a caller over the rate limit', async () => {
    const response = await route.post({ query: '{ me }' }, { 'x-user': 'busy' })
    expect(response.statusCode).toBe(429)
    expect(response.headers['retry-after']).toBe('3')
    expect(codeOf(response)).toBe('RATE_LIMITED')
  })

  it('includes headers from beforeOperation, whose returned function receives the data', async () => {
    const response = await route.post({ query: '{ me }' }, { 'x-user': 'ann' })
    expect(response.headers.ratelimit).toBe('r=1')
    expect(route.recorded.results.at(-1)).toEqual({ me: 'ann' })
  })

  it('quotes only part of the document', async () => {
    const response = await route.post({ query: `{ ${'a'.repeat(500_000)} }` })
    expect(response.body.length).toBeLessThan(2_000)
  })

  it('is the SDL for schema.graphql', async () => {
    const response = await route.app.inject('/graphql/v1/schema.graphql')
    expect(response.headers['content-type']).toContain('text/plain')
    expect(response.body).toBe(typeDefs)
  })
})
