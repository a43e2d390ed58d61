import { describe, expect, it } from 'vitest'
import { ApiError } from '../errors.ts'
import { assembleSchema } from './assemble.ts'
import { executor, prepared, rejection, shared } from './executor-fixture.ts'
import { createExecutor } from './prepare-operation.ts'

describe('objectsIn', () => {
  it('counts the objects in a response', async () => {
    const operation = prepared({ query: '{ user { thing { id } page { items { id parts { id } } total } } version }' })
    expect(operation.objectCount).toBeGreaterThan(10_000)
    const { data } = await operation.execute({ contextValue: {} })
    expect(operation.objectsIn(data)).toBe(5)
    expect(operation.objectsIn(null)).toBe(0)
  })
})

describe('the schema', () => {
  it('is rejected if two fields have the same compiled name', () => {
    const twins = assembleSchema([{ typeDefs: 'type Query { ab: String } type Quer { yab: String }' }])
    expect(() => createExecutor({ schema: twins, listBounds: {}, rowCosts: {}, jit: true })).toThrow(
      'Query.ab and Quer.yab',
    )
  })
})

describe('preparing a document', () => {
  it.each([
    ['a syntax error', '{ user {', undefined],
    ['an unknown field', '{ unknown }', undefined],
    ['several operations without an operation name', 'query A { version } query B { version }', undefined],
    ['a missing variable', 'query ($n: [String!]!) { things(names: $n) { id } }', {}],
    ['a variable of another type', 'query ($n: [String!]) { things(names: $n) { id } }', { n: [1] }],
    ['an empty document', '', undefined],
    ['a cycle of fragments', '{ user { ...A } } fragment A on User { ...B } fragment B on User { ...A }', undefined],
  ])('rejects %s as BAD_USER_INPUT', (_name, query, variables) => {
    expect(rejection(query, variables)).toMatchObject({ code: 'BAD_USER_INPUT' })
  })

  it('reports at most ten errors, and quotes only part of a long variable', () => {
    const many = shared.prepare({ query: `{ ${Array.from({ length: 300 }, (_, index) => `no${index}`).join(' ')} }` })
    expect(many.ok || many.errors.length).toBe(10)
    expect(
      rejection('query ($n: [String!]) { things(names: $n) { id } }', { n: { x: 'y'.repeat(1e6) } }).message.length,
    ).toBeLessThan(600)
  })

  it('finds the operation that the request selects', () => {
    const query = 'query A { version } mutation B { change(to: []) }'
    expect(prepared({ query, operationName: 'A' }).kind).toBe('query')
    expect(prepared({ query, operationName: 'B' }).kind).toBe('mutation')
    expect(rejection(query).message).toContain('operationName')
    expect(prepared({ query: '{ version }', operationName: '' }).kind).toBe('query')
  })

  it('lists the root fields with their arguments', () => {
    const query = 'mutation ($to: [String!]!) { __typename a: change(to: $to) change2 }'
    expect(prepared({ query, variables: { to: ['x'] } }).rootFields()).toEqual([
      { name: 'change', responseKey: 'a', args: { to: ['x'], note: 'none' } },
      { name: 'change2', responseKey: 'change2', args: {} },
    ])
  })

  it('formats the response to an operation that is not allowed', () => {
    const error = new ApiError('FORBIDDEN', 'read-only')
    expect(prepared({ query: 'mutation { a: change(to: []) }' }).reject(error)).toEqual({
      data: null,
      errors: [{ message: 'read-only', path: ['a'], extensions: { code: 'FORBIDDEN' } }],
    })
  })
})

describe('executing a document', () => {
  it('returns the same result before and after a document is compiled', async () => {
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

  it('calls a page member that is a function if the document selects it', async () => {
    for (let use = 1; use <= 3; use += 1) {
      const result = await prepared({ query: '{ user { page { lazy } } }' }).execute({ contextValue: {} })
      expect(JSON.parse(JSON.stringify(result))).toEqual({ data: { user: { page: { lazy: 3 } } } })
    }
  })

  it('reports an error that names a function member without a resolver', async () => {
    const { errors } = await prepared({ query: '{ things { lazy } }' }).execute({ contextValue: {} })
    expect(errors?.[0]?.message).toContain('Thing.lazy has no resolver')
  })

  it('returns the results of a subscription as a stream', async () => {
    const stream = await prepared({ query: 'subscription { ticks }' }).subscribe({ contextValue: {} })
    const seen: unknown[] = []
    for await (const { data } of stream as AsyncIterable<{ data: unknown }>) seen.push({ ...(data as object) })
    expect(seen).toEqual([{ ticks: 1 }, { ticks: 2 }])
  })
})

describe('the document cache', () => {
  it('exceeds its capacity by at most an eighth', async () => {
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

  it('does not store documents of more than 64 KiB', () => {
    const fresh = executor()
    expect(prepared({ query: `{ version } #${'x'.repeat(70_000)}` }, fresh).kind).toBe('query')
    expect(fresh.prepare({ query: `{ nothing } #${'x'.repeat(70_000)}` }).ok).toBe(false)
    expect(fresh.cachedBytes).toBe(0)
  })
})
