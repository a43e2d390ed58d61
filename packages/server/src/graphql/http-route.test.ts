import { makeExecutableSchema } from '@graphql-tools/schema'
import Fastify, { type FastifyInstance, type LightMyRequestResponse } from 'fastify'
import { serverAudits } from 'graphql-http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ApiError, badInput } from '../errors.ts'
import { registerRequestId } from '../http/request-id.ts'
import { createExecutor } from './execute.ts'
import { registerGraphqlRoute } from './http-route.ts'

const typeDefs = /* GraphQL */ `
  type Query { version: String! me: String! echo(text: String): String big(mib: Int!): String! crash: String away: String refused: String }
  type Mutation { change(to: String!): String! }
  type Subscription { ticks: Int }
`

const changes: string[] = []
const settled: unknown[] = []
const internal: unknown[] = []

const resolvers = {
  Query: {
    version: () => '1.0.0',
    me: (_: unknown, _args: unknown, { name }: { name: string }) => name,
    echo: (_: unknown, { text }: { text: string }) => text,
    big: (_: unknown, { mib }: { mib: number }) => 'ü'.repeat(mib * 512 * 1024),
    crash: () => {
      throw new Error('the password is 1234')
    },
    away: () => {
      throw Object.assign(new Error('connect ECONNREFUSED 10.0.0.1:5432'), { code: 'ECONNREFUSED', syscall: 'connect' })
    },
    refused: () => {
      throw badInput('size must be 1 to 1000, not 0')
    },
  },
  Mutation: {
    change: (_: unknown, { to }: { to: string }) => {
      changes.push(to)
      return to
    },
  },
}

/** Credentials are the header `x-user`; `bad` ones do not hold, `ro` may only read. */
async function authenticate(name: unknown, body: Buffer) {
  if (name === 'bad') throw new ApiError('UNAUTHENTICATED', 'the signature does not hold', { reason: 'signature' })
  if (name === 'away') throw Object.assign(new Error('starting up'), { code: '57P03' })
  return typeof name === 'string' ? { name, readOnly: name === 'ro', bytes: body.length } : null
}

let app: FastifyInstance
let url: string
const seenBytes: number[] = []

beforeAll(async () => {
  app = Fastify()
  registerRequestId(app)
  registerGraphqlRoute(app, {
    executor: createExecutor({ schema: makeExecutableSchema({ typeDefs, resolvers }), listBounds: {}, jit: true }),
    path: '/graphql/v1',
    sdl: typeDefs,
    async authenticate(request, body) {
      const viewer = await authenticate(request.headers['x-user'], body)
      if (viewer) seenBytes.push(viewer.bytes)
      return viewer
    },
    buildContext: (_request, viewer) => ({ name: viewer?.name }),
    async beforeOperation({ viewer, reply }) {
      if (viewer?.name === 'busy') throw new ApiError('RATE_LIMITED', 'too many', { retryAfter: 2.5 })
      reply.header('ratelimit', 'r=1')
      return (data) => settled.push(data)
    },
    onInternal: (error) => internal.push(error),
  })
  url = `${await app.listen({ port: 0, host: '127.0.0.1' })}/graphql/v1`
})

afterAll(() => app.close())

const newType = 'application/graphql-response+json'

function post(payload: unknown, headers: Record<string, string> = {}): Promise<LightMyRequestResponse> {
  const text = typeof payload === 'string' || Buffer.isBuffer(payload) ? payload : JSON.stringify(payload)
  return app.inject({
    method: 'POST',
    url: '/graphql/v1',
    headers: { 'content-type': 'application/json', ...headers },
    payload: text,
  })
}

const codeOf = (response: LightMyRequestResponse): unknown => response.json().errors?.[0]?.extensions?.code

describe('GraphQL over HTTP', () => {
  const audits = serverAudits({ url: () => url })

  it('has 61 audits', () => expect(audits).toHaveLength(61))

  it.each(audits)('$id $name', async ({ fn }) => {
    expect(await fn()).toMatchObject({ status: 'ok' })
  })
})

describe('who asks', () => {
  it('needs no credentials for introspection and version, through fragments too', async () => {
    const query = '{ ...A } fragment A on Query { ... { v: version } __typename __schema { queryType { name } } }'
    expect((await post({ query })).json().data).toMatchObject({ v: '1.0.0' })
  })

  it.each([
    '{ me }',
    '{ version me }',
    '{ ...A } fragment A on Query { version ... { me } }',
    'mutation { change(to: "a") }',
  ])('needs them for %s', async (query) => {
    const response = await post({ query })
    expect(response.statusCode).toBe(401)
    expect(response.headers['www-authenticate']).toBe('Signature')
    expect(response.json().errors[0].extensions).toEqual({ code: 'UNAUTHENTICATED', reason: 'missing' })
  })

  it('refuses bad credentials even where none are needed, and before it reads the body', async () => {
    for (const payload of [{ query: '{ version }' }, 'no JSON']) {
      const response = await post(payload, { 'x-user': 'bad' })
      expect(response.statusCode).toBe(401)
      expect(response.json().errors[0].extensions).toEqual({ code: 'UNAUTHENTICATED', reason: 'signature' })
    }
  })

  it('authenticates over the bytes of the body', async () => {
    const payload = '{ "query" :\n "{ me }" , "ü": 1}'
    const response = await post(payload, { 'x-user': 'ann' })
    expect(response.json()).toEqual({ data: { me: 'ann' } })
    expect(seenBytes.at(-1)).toBe(Buffer.byteLength(payload))
  })

  it('answers 503 while viewers cannot be looked up', async () => {
    const response = await post({ query: '{ version }' }, { 'x-user': 'away' })
    expect(response.statusCode).toBe(503)
    expect(response.headers['retry-after']).toBe('1')
    expect(codeOf(response)).toBe('UNAVAILABLE')
  })

  it('lets a read-only viewer query and change nothing', async () => {
    expect((await post({ query: '{ me }' }, { 'x-user': 'ro' })).json().data).toEqual({ me: 'ro' })
    const response = await post({ query: 'mutation { a: change(to: "x") b: change(to: "y") }' }, { 'x-user': 'ro' })
    expect(response.statusCode).toBe(200)
    expect(response.json().data).toBeNull()
    expect(response.json().errors).toMatchObject([
      { path: ['a'], extensions: { code: 'FORBIDDEN' } },
      { path: ['b'], extensions: { code: 'FORBIDDEN' } },
    ])
    expect(changes).not.toContain('x')
  })
})

describe('what is asked', () => {
  const query = '{ version }'

  it.each([
    ['an array', [{ query }, { query }]],
    ['no JSON', '{"query": '],
    ['nothing', ''],
    ['a number', '7'],
    ['null', 'null'],
    ['no query', { variables: {} }],
    ['no UTF-8', Buffer.from('{"query": "{ version }", "x": "\xff"}', 'latin1')],
    ['__proto__', '{"query": "{ version }", "variables": {"a": [{"__proto__": {"b": 1}}]}}'],
    ['__proto__ by escapes', '{"query": "{ version }", "\\u005f_proto__": 1}'],
  ])('is refused as a body: %s', async (_name, payload) => {
    const response = await post(payload)
    expect(response.statusCode).toBe(400)
    expect(codeOf(response)).toBe('BAD_USER_INPUT')
  })

  it('may hold names that look like __proto__ in values', async () => {
    const response = await post(
      { query: 'query ($t: String) { echo(text: $t) }', variables: { t: '__proto__' } },
      { 'x-user': 'a' },
    )
    expect(response.json().data).toEqual({ echo: '__proto__' })
  })

  it('is refused as variables in a URL with __proto__', async () => {
    const variables = encodeURIComponent('{"__proto__": 1}')
    const response = await app.inject(`/graphql/v1?query={version}&variables=${variables}`)
    expect(response.statusCode).toBe(400)
    expect(codeOf(response)).toBe('BAD_USER_INPUT')
  })

  it.each([
    'text/plain',
    'application/json; charset=latin1',
    'application/x-www-form-urlencoded',
    'application/jsonp',
    'nonsense',
  ])('is refused as %s', async (type) => {
    const response = await post({ query }, { 'content-type': type })
    expect(response.statusCode).toBe(415)
    expect(codeOf(response)).toBe('BAD_USER_INPUT')
  })

  it('is refused over 1 MiB, and taken at 1 MiB', async () => {
    const body = (bytes: number): string => JSON.stringify({ query }).padEnd(bytes)
    const response = await post(body(1024 * 1024 + 1))
    expect(response.statusCode).toBe(413)
    expect(codeOf(response)).toBe('LIMIT_EXCEEDED')
    expect(response.json().errors[0].message).toContain('1048577')
    expect((await post(body(1024 * 1024))).statusCode).toBe(200)
  })

  it('may be a query by GET and not a mutation', async () => {
    expect((await app.inject('/graphql/v1?query={version}')).json()).toEqual({ data: { version: '1.0.0' } })
    const response = await app.inject({
      url: '/graphql/v1?query=mutation{change(to:"get")}',
      headers: { 'x-user': 'ann' },
    })
    expect(response.statusCode).toBe(405)
    expect(response.headers.allow).toBe('POST')
    expect(codeOf(response)).toBe('BAD_USER_INPUT')
    expect(changes).not.toContain('get')
  })

  it.each(['PUT', 'DELETE', 'PATCH'] as const)('is not by %s', async (method) => {
    const response = await app.inject({ method, url: '/graphql/v1', payload: {} })
    expect(response.statusCode).toBe(405)
    expect(response.headers.allow).toBe('GET, POST')
  })

  it('is no subscription', async () => {
    const response = await post({ query: 'subscription { ticks }' }, { 'x-user': 'ann' })
    expect(response.statusCode).toBe(400)
    expect(response.json().errors[0].message).toContain('/graphql/v1/stream')
  })
})

describe('what is answered', () => {
  it.each([
    ['syntax', { query: '{ version' }],
    ['validation', { query: '{ nothing }' }],
    ['variables', { query: 'query ($t: String!) { echo(text: $t) }' }],
    ['the name of the operation', { query: 'query A { version }', operationName: 'B' }],
  ])('to an error of %s: 400, or 200 to those who know application/json alone', async (_name, payload) => {
    const response = await post(payload, { accept: newType })
    expect(response.statusCode).toBe(400)
    expect(response.headers['content-type']).toBe(`${newType}; charset=utf-8`)
    expect(response.json()).toEqual({ errors: [expect.objectContaining({ extensions: { code: 'BAD_USER_INPUT' } })] })
    expect((await post(payload, { accept: 'application/json' })).statusCode).toBe(200)
  })

  it.each([newType, 'application/json'])('to what is too complex: 400 as %s', async (accept) => {
    const query = `{ ${Array.from({ length: 16 }, (_, index) => `a${index}: version`).join(' ')} }`
    const response = await post({ query }, { accept })
    expect(response.statusCode).toBe(400)
    expect(codeOf(response)).toBe('QUERY_TOO_COMPLEX')
  })

  it.each([
    [undefined, 'application/json'],
    ['*/*', 'application/json'],
    [newType, newType],
    [`application/json;q=0.5, ${newType}`, newType],
    [`${newType};q=0.5, application/json`, 'application/json'],
    ['text/html, */*;q=0.1', 'application/json'],
  ])('Accept %s gets %s', async (accept, type) => {
    const response = await post({ query: '{ version }' }, accept ? { accept } : {})
    expect(response.headers['content-type']).toBe(`${type}; charset=utf-8`)
  })

  it.each(['text/html', 'application/json; charset=latin1', 'application/json;q=0'])(
    'Accept %s gets 406',
    async (accept) => {
      expect((await post({ query: '{ version }' }, { accept })).statusCode).toBe(406)
    },
  )

  it('carries the id of the request, always', async () => {
    for (const payload of [{ query: '{ version }' }, 'no JSON', { query: '{ me }' }])
      expect((await post(payload)).headers['x-request-id']).toMatch(/./)
  })

  it('of a fault tells nothing but the request id, and the log gets the error', async () => {
    const response = await post({ query: '{ crash version }' }, { 'x-user': 'ann' })
    expect(response.statusCode).toBe(200)
    const [error] = response.json().errors
    expect(response.json().data).toEqual({ crash: null, version: '1.0.0' })
    expect(error).toMatchObject({ path: ['crash'], locations: [{ line: 1, column: 3 }] })
    expect(error.extensions).toEqual({ code: 'INTERNAL', requestId: response.headers['x-request-id'] })
    expect(response.body).not.toContain('1234')
    expect(internal.at(-1)).toMatchObject({ message: 'the password is 1234' })
  })

  it('of an error for the caller tells the code and the message', async () => {
    for (let use = 1; use <= 3; use += 1) {
      const response = await post({ query: '{ refused away }' }, { 'x-user': 'ann' })
      expect(response.json().errors).toMatchObject([
        { message: 'size must be 1 to 1000, not 0', path: ['refused'], extensions: { code: 'BAD_USER_INPUT' } },
        { path: ['away'], extensions: { code: 'UNAVAILABLE' } },
      ])
      expect(response.body).not.toContain('10.0.0.1')
    }
  })

  it('is 503 where the database was away for all of it, and 200 where something was answered', async () => {
    for (const accept of [newType, 'application/json']) {
      const response = await post({ query: '{ away again: away }' }, { 'x-user': 'ann', accept })
      expect(response.statusCode).toBe(503)
      expect(response.headers['retry-after']).toBe('1')
      expect(response.json()).toMatchObject({
        data: { away: null, again: null },
        errors: [{ extensions: { code: 'UNAVAILABLE' } }, { extensions: { code: 'UNAVAILABLE' } }],
      })
    }
    for (const query of ['{ away echo }', '{ away version }', '{ away refused }'])
      expect((await post({ query }, { 'x-user': 'ann' })).statusCode).toBe(200)
  })

  it('over 32 MiB is LIMIT_EXCEEDED', async () => {
    expect((await post({ query: '{ big(mib: 31) }' }, { 'x-user': 'ann' })).json().data.big).toHaveLength(
      31 * 512 * 1024,
    )
    const response = await post({ query: '{ big(mib: 32) }' }, { 'x-user': 'ann' })
    expect(response.json()).toMatchObject({ data: null, errors: [{ extensions: { code: 'LIMIT_EXCEEDED' } }] })
    expect(response.json().errors[0].message).toContain('smaller size')
  })

  it('to one who asks too much: 429 and when to come back', async () => {
    const response = await post({ query: '{ me }' }, { 'x-user': 'busy' })
    expect(response.statusCode).toBe(429)
    expect(response.headers['retry-after']).toBe('3')
    expect(codeOf(response)).toBe('RATE_LIMITED')
  })

  it('is told to what ran before it, which may set headers', async () => {
    const response = await post({ query: '{ me }' }, { 'x-user': 'ann' })
    expect(response.headers.ratelimit).toBe('r=1')
    expect(settled.at(-1)).toEqual({ me: 'ann' })
  })

  it('echoes no more than a piece of what was sent', async () => {
    const response = await post({ query: `{ ${'a'.repeat(500_000)} }` })
    expect(response.body.length).toBeLessThan(2_000)
  })

  it('is the schema as text at schema.graphql', async () => {
    const response = await app.inject('/graphql/v1/schema.graphql')
    expect(response.headers['content-type']).toContain('text/plain')
    expect(response.body).toBe(typeDefs)
  })
})
