import { makeExecutableSchema } from '@graphql-tools/schema'
import { getIntrospectionQuery } from 'graphql'
import { describe, expect, it } from 'vitest'
import { ApiError } from '../errors.ts'
import { createExecutor, type OperationRequest } from './execute.ts'

const typeDefs = /* GraphQL */ `
  type Query { version: String! user: User things(names: [String!]): [Thing!]! }
  type Mutation { change(to: [String!]!, note: String = "none"): Boolean change2: Boolean }
  type Subscription { ticks: Int }
  type User { id: ID thing: Thing page(size: Int = 100): ThingList! strict(size: Int!): ThingList }
  type ThingList { items: [Thing!]! total: Int! lazy: Int }
  type Thing { id: ID lazy: Int a: String b: String parts: [Thing!]! owner: User }
`

const things = Array.from({ length: 3 }, (_, id) => ({ id, parts: [], lazy: () => id }))

const executor = (input: { jit?: boolean; cacheBytes?: number } = {}) =>
  createExecutor({
    schema: makeExecutableSchema({
      typeDefs,
      resolvers: {
        Query: { version: () => '1', user: () => ({ id: 1 }), things: () => things },
        User: { page: () => ({ items: things, total: 3, lazy: () => 3 }) },
        Mutation: { change: () => true },
        Subscription: {
          ticks: {
            async *subscribe() {
              yield { ticks: 1 }
              yield { ticks: 2 }
            },
          },
        },
      },
    }),
    listBounds: { 'Query.things': ({ names }) => (Array.isArray(names) ? names.length : 50), 'Thing.parts': 100 },
    jit: true,
    ...input,
  })

const shared = executor()

function prepared(request: OperationRequest, by = shared) {
  const operation = by.prepare(request)
  if (!operation.ok) throw new Error(operation.errors[0]?.message)
  return operation
}

function refusal(query: string, variables?: Record<string, unknown>) {
  const operation = shared.prepare({ query, variables })
  if (operation.ok) throw new Error(`not refused, with ${operation.objectCount} objects`)
  const [{ message, extensions } = { message: '', extensions: {} }] = operation.errors
  return { code: operation.code, message, ...extensions }
}

const nested = (open: string, times: number, inside: string): string =>
  `${open.repeat(times)}${inside}${'}'.repeat(times * (open.split('{').length - 1))}`

describe('limits', () => {
  const deep = (fields: number): string =>
    `{ ${nested('user { thing { owner { ', 1, nested('thing { owner { ', (fields - 4) / 2, 'id'))} }`

  it('takes 12 levels and no more', () => {
    expect(prepared({ query: deep(12) }).kind).toBe('query')
    expect(refusal(deep(14))).toMatchObject({ code: 'QUERY_TOO_COMPLEX', limit: 12, found: 14 })
  })

  it('counts levels through fragments', () => {
    const query = `{ user { ...A } } fragment A on User { thing { ...B } } fragment B on Thing { ${nested('owner { thing { ', 5, 'id')} }`
    expect(refusal(query)).toMatchObject({ limit: 12, found: 13 })
  })

  it('bounds introspection on its own', () => {
    const introspection = (fields: number): string =>
      `{ __type(name: "User") { ${nested('ofType { ', fields - 2, 'name')} } }`
    expect(prepared({ query: introspection(20) }).isPublic).toBe(true)
    expect(refusal(introspection(21))).toMatchObject({ code: 'QUERY_TOO_COMPLEX', limit: 20, found: 21 })
    expect(prepared({ query: getIntrospectionQuery() }).isPublic).toBe(true)
    const lists = '{ __schema { types { fields { type { fields { type { fields { name } } } } } } } }'
    expect(refusal(lists)).toMatchObject({ code: 'QUERY_TOO_COMPLEX', limit: 2, found: 3 })
    const aliases = (of: string, inside: string) =>
      Array.from({ length: 15 }, (_, index) => `a${index}: ${of} ${inside}`).join(' ')
    const wide = `{ __schema { ${aliases('types', '{ ...T }')} } } fragment T on __Type { ${aliases('fields', '{ ...F }')} } fragment F on __Field { ${aliases('args', '{ type { name } }')} }`
    expect(refusal(wide)).toMatchObject({ code: 'QUERY_TOO_COMPLEX', limit: 50_000 })
  })

  it('refuses 5,000 levels without a fault', () => {
    expect(refusal(`{ ${nested('user { thing { owner { ', 1700, 'id')} }`)).toMatchObject({
      code: 'QUERY_TOO_COMPLEX',
      limit: 2000,
    })
    expect(refusal(`{ user { ${nested('thing { owner { ', 300, 'id')} } }`)).toMatchObject({ limit: 12, found: 602 })
    expect(prepared({ query: `{ ${nested('... { ', 600, 'version')} }` }).kind).toBe('query')
  })

  it('takes 2,000 tokens and no more', () => {
    expect(prepared({ query: `{ ${'version '.repeat(1998)}}` }).kind).toBe('query')
    expect(prepared({ query: `{ ${'user { id } '.repeat(499)}}` }).objectCount).toBe(1)
    expect(refusal(`{ ${'version '.repeat(1999)}}`)).toMatchObject({
      code: 'QUERY_TOO_COMPLEX',
      limit: 2000,
      found: 2001,
    })
    expect(prepared({ query: `{ version } ${'# a comment is no token\n'.repeat(2001)}` }).kind).toBe('query')
  })

  const aliases = (count: number): string => Array.from({ length: count }, (_, index) => `a${index}: a`).join(' ')

  it('takes 15 aliases of one field and no more', () => {
    expect(prepared({ query: `{ user { thing { a ${aliases(15)} } } }` }).kind).toBe('query')
    expect(refusal(`{ user { thing { ${aliases(16)} } } }`)).toMatchObject({
      code: 'QUERY_TOO_COMPLEX',
      limit: 15,
      found: 16,
    })
  })

  it('finds aliases that are spread over fragments and repeated parents, and counts none twice', () => {
    const parts = Array.from({ length: 16 }, (_, index) => `thing { x${index}: a }`)
    expect(refusal(`{ user { ${parts.join(' ')} } }`)).toMatchObject({ found: 16 })
    const fragments = parts.map((part, index) => `fragment F${index} on User { ${part} }`)
    expect(
      refusal(`{ user { ${parts.map((_, index) => `...F${index}`).join(' ')} } } ${fragments.join(' ')}`),
    ).toMatchObject({ found: 16 })
    expect(prepared({ query: `{ user { thing { ${'x: a '.repeat(30)} } } }` }).kind).toBe('query')
    expect(
      prepared({
        query: `{ user { thing { ${aliases(9)} owner { thing { ${aliases(9).replaceAll(':', 'x:')} } } } } }`,
      }).kind,
    ).toBe('query')
  })

  it('judges fragments that double at every level as fast as others', () => {
    const chain = (count: number, body: (next: string) => string): string =>
      Array.from(
        { length: count },
        (_, index) => `fragment F${index} on Thing { ${index + 1 < count ? body(`...F${index + 1}`) : 'id'} }`,
      ).join(' ')
    expect(
      prepared({ query: `{ user { thing { ...F0 } } } ${chain(150, (next) => `${next} ${next}`)}` }).objectCount,
    ).toBe(2)
    const through = chain(60, (next) => `x: owner { thing { ${next} } } y: owner { thing { ${next} } }`)
    expect(refusal(`{ user { thing { ...F0 } } } ${through}`)).toMatchObject({ limit: 12, found: 121 })
    const wide = chain(5, (next) => `x: parts { ${next} } y: parts { ${next} } z: parts { ${next} }`)
    expect(refusal(`{ user { thing { ...F0 } } } ${wide}`)).toMatchObject({ code: 'QUERY_TOO_COMPLEX', limit: 500_000 })
  })
})

describe('objects of an answer', () => {
  it.each([
    ['{ version }', 0],
    ['{ user { id thing { id } } }', 2],
    ['{ user { page { total } } }', 2],
    ['{ user { page { items { id } } } }', 102],
    ['{ user { page(size: 1000) { items { parts { id } } } } }', 101_002],
    ['{ user { page(size: null) { items { id } } } }', 102],
    ['{ user { page(size: 0) { items { id } } } }', 2],
    ['{ user { page(size: 2147483647) { items { id } } } }', 1_002],
    ['{ user { page(size: 2) { items { id } } again: page(size: 3) { items { id } } } }', 8],
    ['{ user { page(size: 2) { items { id } } page(size: 2) { items { a } } } }', 4],
    ['{ things(names: ["a", "b"]) { id } }', 2],
    ['{ things { id parts { id } } }', 5_050],
    ['{ ...A ...A } fragment A on Query { user { id } }', 1],
  ])('%s: %i', (query, count) => {
    expect(prepared({ query }).objectCount).toBe(count)
  })

  it('are counted with the variables, their defaults and those of the schema', () => {
    const query = 'query ($n: Int = 7) { user { page(size: $n) { items { id } } } }'
    expect(prepared({ query, variables: { n: 5 } }).objectCount).toBe(7)
    expect(prepared({ query }).objectCount).toBe(9)
    expect(prepared({ query, variables: { n: null } }).objectCount).toBe(102)
    const wrong = 'query ($n: Int = 2) { user { strict(size: $n) { items { id } } } }'
    expect(prepared({ query: wrong, variables: { n: null } }).objectCount).toBe(1)
    const names = 'query ($n: [String!]) { things(names: $n) { id } }'
    expect(prepared({ query: names, variables: { n: ['a'] } }).objectCount).toBe(1)
  })

  it('are 500,000 at most', () => {
    const query = 'query ($n: Int) { user { page(size: $n) { items { parts { parts { id } } } } } }'
    expect(prepared({ query, variables: { n: 49 } }).objectCount).toBe(494_951)
    expect(refusal(query, { n: 50 })).toMatchObject({ code: 'QUERY_TOO_COMPLEX', limit: 500_000, found: 505_052 })
  })

  it('need a bound for every list', () => {
    const schema = makeExecutableSchema({ typeDefs })
    expect(() => createExecutor({ schema, listBounds: { 'Query.things': 1 }, jit: true })).toThrow('Thing.parts')
  })
})

describe('an answer', () => {
  it('tells how many objects it holds', async () => {
    const operation = prepared({ query: '{ user { thing { id } page { items { id parts { id } } total } } version }' })
    expect(operation.objectCount).toBeGreaterThan(10_000)
    const { data } = await operation.execute({ contextValue: {} })
    expect(operation.objectsIn(data)).toBe(5)
    expect(operation.objectsIn(null)).toBe(0)
  })
})

describe('a schema', () => {
  it('must not have two fields that are one to the compiler', () => {
    const twins = makeExecutableSchema({ typeDefs: 'type Query { ab: String } type Quer { yab: String }' })
    expect(() => createExecutor({ schema: twins, listBounds: {}, jit: true })).toThrow('Query.ab and Quer.yab')
  })
})

describe('prepare', () => {
  it.each([
    ['a syntax error', '{ user {', undefined],
    ['an unknown field', '{ nobody }', undefined],
    ['an unknown operation kind', 'query A { version } query B { version }', undefined],
    ['a variable missing', 'query ($n: [String!]!) { things(names: $n) { id } }', {}],
    ['a variable of another type', 'query ($n: [String!]) { things(names: $n) { id } }', { n: [1] }],
    ['an empty document', '', undefined],
    ['fragments in a circle', '{ user { ...A } } fragment A on User { ...B } fragment B on User { ...A }', undefined],
  ])('refuses %s as BAD_USER_INPUT', (_name, query, variables) => {
    expect(refusal(query, variables)).toMatchObject({ code: 'BAD_USER_INPUT' })
  })

  it('tells at most ten errors, and a piece of what was sent', () => {
    const many = shared.prepare({ query: `{ ${Array.from({ length: 300 }, (_, index) => `no${index}`).join(' ')} }` })
    expect(many.ok || many.errors.length).toBe(10)
    expect(
      refusal('query ($n: [String!]) { things(names: $n) { id } }', { n: { x: 'y'.repeat(1e6) } }).message.length,
    ).toBeLessThan(600)
  })

  it('finds the operation meant', () => {
    const query = 'query A { version } mutation B { change(to: []) }'
    expect(prepared({ query, operationName: 'A' }).kind).toBe('query')
    expect(prepared({ query, operationName: 'B' }).kind).toBe('mutation')
    expect(refusal(query).message).toContain('operationName')
    expect(prepared({ query: '{ version }', operationName: '' }).kind).toBe('query')
  })

  it('lists the root fields with their arguments', () => {
    const query = 'mutation ($to: [String!]!) { __typename a: change(to: $to) change2 }'
    expect(prepared({ query, variables: { to: ['x'] } }).rootFields()).toEqual([
      { name: 'change', responseKey: 'a', args: { to: ['x'], note: 'none' } },
      { name: 'change2', responseKey: 'change2', args: {} },
    ])
  })

  it('makes an answer of a refusal', () => {
    const error = new ApiError('FORBIDDEN', 'read-only')
    expect(prepared({ query: 'mutation { a: change(to: []) }' }).refuse(error)).toEqual({
      data: null,
      errors: [{ message: 'read-only', path: ['a'], extensions: { code: 'FORBIDDEN' } }],
    })
  })
})

describe('execute', () => {
  it('gives the same when plain, compiled and used again', async () => {
    for (let use = 1; use <= 4; use += 1) {
      const operation = prepared({ query: '{ things { id } user { page(size: 3) { items { id } total } } }' })
      const result = await operation.execute({ contextValue: {} })
      expect(JSON.parse(JSON.stringify(result))).toEqual({
        data: {
          things: [{ id: '0' }, { id: '1' }, { id: '2' }],
          user: { page: { items: [{ id: '0' }, { id: '1' }, { id: '2' }], total: 3 } },
        },
      })
    }
  })

  it('calls members of a page when they are selected', async () => {
    for (let use = 1; use <= 3; use += 1) {
      const result = await prepared({ query: '{ user { page { lazy } } }' }).execute({ contextValue: {} })
      expect(JSON.parse(JSON.stringify(result))).toEqual({ data: { user: { page: { lazy: 3 } } } })
    }
  })

  it('names a member that is a function and has no resolver, at the first use', async () => {
    const { errors } = await prepared({ query: '{ things { lazy } }' }).execute({ contextValue: {} })
    expect(errors?.[0]?.message).toContain('Thing.lazy has no resolver')
  })

  it('subscribes', async () => {
    const stream = await prepared({ query: 'subscription { ticks }' }).subscribe({ contextValue: {} })
    const seen: unknown[] = []
    for await (const { data } of stream as AsyncIterable<{ data: unknown }>) seen.push({ ...(data as object) })
    expect(seen).toEqual([{ ticks: 1 }, { ticks: 2 }])
  })
})

describe('the cache', () => {
  it('stays within its bytes, whatever comes, and goes on answering', async () => {
    const cacheBytes = 200_000
    const small = executor({ cacheBytes })
    for (let index = 0; index < 500; index += 1) {
      small.prepare({ query: `{ version } # ${index}` })
      small.prepare({ query: `{ nothing } # ${index}` })
      const twice = { query: `{ a${index}: version user { id } }` }
      for (let use = 0; use < 2; use += 1) await prepared(twice, small).execute({ contextValue: {} })
      expect(small.cachedBytes).toBeLessThanOrEqual(cacheBytes * 1.125)
    }
    expect(small.cachedBytes).toBeGreaterThan(cacheBytes / 2)
    expect(prepared({ query: '{ version }' }, small).isPublic).toBe(true)
  })

  it('keeps nothing of documents that are long for comments', () => {
    const fresh = executor()
    expect(prepared({ query: `{ version } #${'x'.repeat(70_000)}` }, fresh).kind).toBe('query')
    expect(fresh.prepare({ query: `{ nothing } #${'x'.repeat(70_000)}` }).ok).toBe(false)
    expect(fresh.cachedBytes).toBe(0)
  })
})
