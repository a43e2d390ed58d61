import fc from 'fast-check'
import { type ExecutionResult, execute, parse } from 'graphql'
import { compileQuery, isCompiledQuery } from 'graphql-jit'
import { describe, expect, it } from 'vitest'
import { requests } from './parity-documents.ts'
import { comparable, parityContext, parityExecutor, paritySchema, responseOf } from './parity-fixture.ts'
import type { OperationRequest } from './prepare-operation.ts'

/**
 * Without PARITY_RUNS, each test with random documents always uses the same 250 documents, so only a change to the code
 * can make the test fail. With PARITY_RUNS, each of these tests generates that number of new documents.
 */
const { PARITY_RUNS } = process.env
const extent = PARITY_RUNS === undefined ? { numRuns: 250, seed: 1 } : { numRuns: Number(PARITY_RUNS) }

const compiled = parityExecutor(true)
const plain = parityExecutor(false)

/** Without the executor, graphql-jit handles these cases incorrectly, except those in `correctAlone`. */
const cases: Record<string, OperationRequest> = {
  'a variable inside literals': {
    query: 'query ($n: Int!) { echo(box: {width: $n, inner: {width: $n}}, list: [1, $n, 3]) }',
    variables: { n: 7 },
  },
  'an omitted variable inside a literal': { query: 'query ($t: String) { echo(box: {width: 1, label: $t}) }' },
  'a variable inside the literal of a custom scalar': {
    query: 'query ($t: String) { echo(any: {deep: [$t]}) }',
    variables: { t: 'x' },
  },
  'a fragment spread twice with different directives': {
    query: `query ($yes: Boolean!, $no: Boolean!) { person { id ...F @include(if: $no) ...F @include(if: $yes) } }
      fragment F on Person { name }`,
    variables: { yes: true, no: false },
  },
  'a fragment spread with and without a directive': {
    query: `query ($no: Boolean!) { person { friend { ...F } half { person { ...F @include(if: $no) id } } } }
      fragment F on Person { friend { name } }`,
    variables: { no: false },
  },
  '@include on an object field': {
    query: 'query ($no: Boolean!) { person { friend @include(if: $no) { name } friend { id name } } }',
    variables: { no: false },
  },
  '@include on an inline fragment next to the same field': {
    query: 'query ($no: Boolean!) { person { ... @include(if: $no) { friend { name } } friend { name id } } }',
    variables: { no: false },
  },
  'a repeated field with a directive': {
    query: 'query ($yes: Boolean!) { person { name @skip(if: $yes) id name } }',
    variables: { yes: true },
  },
  'a condition that is null': {
    query: 'query ($maybe: Boolean = true) { person { id name @include(if: $maybe) } }',
    variables: { maybe: null },
  },
  'a rejected promise in a list': { query: '{ person { promised } }' },
  'an alias __proto__': { query: '{ __proto__: person { id } version }' },
  'a variable __proto__': {
    query: 'query ($__proto__: Int!) { person(id: $__proto__) { id } }',
    variables: JSON.parse('{"__proto__": 2}'),
  },
  'a key __proto__ in a literal': { query: '{ echo(any: {__proto__: {a: 1}}) }' },
  'keys with the same joined name': {
    query: '{ person { mirror_half: mirror { selected } half { mirror { selected other } } } }',
  },
  'a date as a literal': { query: '{ echo(at: "2020-02-02") }' },
  'a date as a default': { query: 'query ($at: DateTime = "2020-02-02") { echo(at: $at) }' },
  'a list of one item without brackets': { query: '{ echo(list: 4, box: {tags: "one"}) }' },
  'a mutation after a failed mutation': { query: 'mutation { refuse(to: "a") { id } change(to: "b") { id } }' },
  'a list item that fails immediately next to an item that fails later': {
    query: '{ allSure(size: 3) { sureFriend { id } sureCrashLater } }',
  },
  'two required fields that are null': { query: '{ person(id: 4) { sureName sureCrash } }' },
  'a literal that breaks out of the generated code': {
    query: '{ echo(text: "__MAGIC_DATE__33a9e76d_02e0_4128_8e92_3530ad3da74d0),broken:(globalThis.broken=1") }',
  },
}

/** The cases that the current release of graphql-jit handles correctly without the executor. */
const correctAlone = new Set([
  'a variable inside literals',
  'a fragment spread with and without a directive',
  '@include on an inline fragment next to the same field',
  'a date as a literal',
  'a list of one item without brackets',
  'a list item that fails immediately next to an item that fails later',
  'two required fields that are null',
])

async function resultOfGraphqlJit({ query, variables }: OperationRequest) {
  const contextValue = parityContext()
  try {
    const operation = compileQuery(paritySchema(), parse(query), '')
    if (!isCompiledQuery(operation)) return 'not compiled'
    const result = (await operation.query(undefined, contextValue, variables)) as ExecutionResult
    return comparable(result, contextValue)
  } catch (error) {
    return String(error)
  }
}

async function resultOfGraphqlJs({ query, variables }: OperationRequest) {
  const contextValue = parityContext()
  const result = await execute({
    schema: paritySchema(),
    document: parse(query),
    contextValue,
    variableValues: variables ?? {},
  })
  return comparable(result, contextValue)
}

describe('a compiled operation', () => {
  it.each(Object.entries(cases))('returns the same response as graphql-js for %s', async (_name, request) => {
    const expected = await responseOf(plain, request)
    expect(await responseOf(compiled, request)).toEqual(expected)
  })

  it.each(Object.entries(cases).filter(([name]) => !correctAlone.has(name)))(
    'needs more than graphql-jit alone for %s',
    async (_name, request) => {
      expect(await resultOfGraphqlJit(request)).not.toEqual(await resultOfGraphqlJs(request))
    },
  )

  it('does not run strings in a document as code', async () => {
    // In the test above, graphql-jit runs the literal of the case below as code, which sets `broken`.
    Reflect.deleteProperty(globalThis, 'broken')
    await responseOf(compiled, cases['a literal that breaks out of the generated code']!)
    expect(globalThis).not.toHaveProperty('broken')
  })

  it('returns the same response as graphql-js for random documents, many of which can be compiled', async () => {
    await fc.assert(
      fc.asyncProperty(requests({ schema: paritySchema(), gated: false }), async (request) => {
        expect(await responseOf(compiled, request)).toEqual(await responseOf(plain, request))
      }),
      extent,
    )
  })

  it('returns the same response as graphql-js for random documents with and without constructs that prevent compilation', async () => {
    await fc.assert(
      fc.asyncProperty(requests({ schema: paritySchema(), gated: true }), async (request) => {
        expect(await responseOf(compiled, request)).toEqual(await responseOf(plain, request))
      }),
      extent,
    )
  })
})
