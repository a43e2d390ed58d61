import { getIntrospectionQuery } from 'graphql'
import { describe, expect, it } from 'vitest'
import { assembleSchema } from './assemble.ts'
import { prepared, rejection, typeDefs } from './executor-fixture.ts'
import { createExecutor } from './prepare-operation.ts'

const nested = (open: string, times: number, inside: string): string =>
  `${open.repeat(times)}${inside}${'}'.repeat(times * (open.split('{').length - 1))}`

describe('limits on documents', () => {
  const deep = (fields: number): string =>
    `{ ${nested('user { thing { owner { ', 1, nested('thing { owner { ', (fields - 4) / 2, 'id'))} }`

  it('rejects a query with more than 12 levels', () => {
    expect(prepared({ query: deep(12) }).kind).toBe('query')
    expect(rejection(deep(14))).toMatchObject({ code: 'QUERY_TOO_COMPLEX', limit: 12, found: 14 })
  })

  it('counts the levels inside fragments', () => {
    const query = `{ user { ...A } } fragment A on User { thing { ...B } } fragment B on Thing { ${nested('owner { thing { ', 5, 'id')} }`
    expect(rejection(query)).toMatchObject({ limit: 12, found: 13 })
  })

  it('applies separate limits to introspection', () => {
    const introspection = (fields: number): string =>
      `{ __type(name: "User") { ${nested('ofType { ', fields - 2, 'name')} } }`
    expect(prepared({ query: introspection(20) }).isPublic).toBe(true)
    expect(rejection(introspection(21))).toMatchObject({ code: 'QUERY_TOO_COMPLEX', limit: 20, found: 21 })
    expect(prepared({ query: getIntrospectionQuery() }).isPublic).toBe(true)
    const lists = '{ __schema { types { fields { type { fields { type { fields { name } } } } } } } }'
    expect(rejection(lists)).toMatchObject({ code: 'QUERY_TOO_COMPLEX', limit: 2, found: 3 })
    const aliases = (of: string, inside: string) =>
      Array.from({ length: 15 }, (_, index) => `a${index}: ${of} ${inside}`).join(' ')
    const wide = `{ __schema { ${aliases('types', '{ ...T }')} } } fragment T on __Type { ${aliases('fields', '{ ...F }')} } fragment F on __Field { ${aliases('args', '{ type { name } }')} }`
    expect(rejection(wide)).toMatchObject({ code: 'QUERY_TOO_COMPLEX', limit: 50_000 })
  })

  it('rejects 5,000 levels without crashing', () => {
    expect(rejection(`{ ${nested('user { thing { owner { ', 1700, 'id')} }`)).toMatchObject({
      code: 'QUERY_TOO_COMPLEX',
      limit: 2000,
    })
    expect(rejection(`{ user { ${nested('thing { owner { ', 300, 'id')} } }`)).toMatchObject({ limit: 12, found: 602 })
    expect(prepared({ query: `{ ${nested('... { ', 600, 'version')} }` }).kind).toBe('query')
  })

  it('rejects a document with more than 2,000 tokens', () => {
    expect(prepared({ query: `{ ${'version '.repeat(1998)}}` }).kind).toBe('query')
    expect(prepared({ query: `{ ${'user { id } '.repeat(499)}}` }).objectCount).toBe(1)
    expect(rejection(`{ ${'version '.repeat(1999)}}`)).toMatchObject({
      code: 'QUERY_TOO_COMPLEX',
      limit: 2000,
      found: 2001,
    })
    expect(prepared({ query: `{ version } ${'# a comment is not a token\n'.repeat(2001)}` }).kind).toBe('query')
  })

  const aliases = (count: number): string => Array.from({ length: count }, (_, index) => `a${index}: a`).join(' ')

  it('rejects more than 15 aliases of a field', () => {
    expect(prepared({ query: `{ user { thing { a ${aliases(15)} } } }` }).kind).toBe('query')
    expect(rejection(`{ user { thing { ${aliases(16)} } } }`)).toMatchObject({
      code: 'QUERY_TOO_COMPLEX',
      limit: 15,
      found: 16,
    })
  })

  it('counts each alias once, including aliases in fragments and repeated parents', () => {
    const parts = Array.from({ length: 16 }, (_, index) => `thing { x${index}: a }`)
    expect(rejection(`{ user { ${parts.join(' ')} } }`)).toMatchObject({ found: 16 })
    const fragments = parts.map((part, index) => `fragment F${index} on User { ${part} }`)
    expect(
      rejection(`{ user { ${parts.map((_, index) => `...F${index}`).join(' ')} } } ${fragments.join(' ')}`),
    ).toMatchObject({ found: 16 })
    expect(prepared({ query: `{ user { thing { ${'x: a '.repeat(30)} } } }` }).kind).toBe('query')
    expect(
      prepared({
        query: `{ user { thing { ${aliases(9)} owner { thing { ${aliases(9).replaceAll(':', 'x:')} } } } } }`,
      }).kind,
    ).toBe('query')
  })

  it('checks fragments that double at every level without expanding each copy', () => {
    const chain = (count: number, body: (next: string) => string): string =>
      Array.from(
        { length: count },
        (_, index) => `fragment F${index} on Thing { ${index + 1 < count ? body(`...F${index + 1}`) : 'id'} }`,
      ).join(' ')
    expect(
      prepared({ query: `{ user { thing { ...F0 } } } ${chain(150, (next) => `${next} ${next}`)}` }).objectCount,
    ).toBe(2)
    const through = chain(60, (next) => `x: owner { thing { ${next} } } y: owner { thing { ${next} } }`)
    expect(rejection(`{ user { thing { ...F0 } } } ${through}`)).toMatchObject({ limit: 12, found: 121 })
    const wide = chain(5, (next) => `x: parts { ${next} } y: parts { ${next} } z: parts { ${next} }`)
    expect(rejection(`{ user { thing { ...F0 } } } ${wide}`)).toMatchObject({
      code: 'QUERY_TOO_COMPLEX',
      limit: 500_000,
    })
  })
})

describe('the number of objects that a response can contain', () => {
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
  ])('is computed from the limits of lists: %s contains at most %i objects', (query, count) => {
    expect(prepared({ query }).objectCount).toBe(count)
  })

  it('depends on the values of variables, variable defaults, and schema defaults', () => {
    const query = 'query ($n: Int = 7) { user { page(size: $n) { items { id } } } }'
    expect(prepared({ query, variables: { n: 5 } }).objectCount).toBe(7)
    expect(prepared({ query }).objectCount).toBe(9)
    expect(prepared({ query, variables: { n: null } }).objectCount).toBe(102)
    const wrong = 'query ($n: Int = 2) { user { strict(size: $n) { items { id } } } }'
    expect(prepared({ query: wrong, variables: { n: null } }).objectCount).toBe(1)
    const names = 'query ($n: [String!]) { things(names: $n) { id } }'
    expect(prepared({ query: names, variables: { n: ['a'] } }).objectCount).toBe(1)
  })

  it('is limited to 500,000', () => {
    const query = 'query ($n: Int) { user { page(size: $n) { items { parts { parts { id } } } } } }'
    expect(prepared({ query, variables: { n: 49 } }).objectCount).toBe(494_951)
    expect(rejection(query, { n: 50 })).toMatchObject({ code: 'QUERY_TOO_COMPLEX', limit: 500_000, found: 505_052 })
  })

  it('requires an entry in listBounds for every list', () => {
    const schema = assembleSchema([{ typeDefs }])
    expect(() => createExecutor({ schema, listBounds: { 'Query.things': 1 }, rowCosts: {}, jit: true })).toThrow(
      'Thing.parts',
    )
  })

  it('requires an entry in rowCosts for every list', () => {
    const schema = assembleSchema([{ typeDefs }])
    const listBounds = { 'Query.things': 1, 'Thing.parts': 1 }
    const rowCosts = { 'Query.things': 0, 'Thing.parts': 0, 'User.strict': 0 } as const
    expect(() => createExecutor({ schema, listBounds, rowCosts, jit: true })).toThrow('User.page')
  })
})
