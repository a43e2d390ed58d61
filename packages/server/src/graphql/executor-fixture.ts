import { assembleSchema } from './assemble.ts'
import { createExecutor, type OperationRequest } from './prepare-operation.ts'

export const typeDefs = /* GraphQL */ `
  type Query { version: String! user: User things(names: [String!]): [Thing!]! }
  type Mutation { change(to: [String!]!, note: String = "none"): Boolean change2: Boolean }
  type Subscription { ticks: Int }
  type User { id: ID thing: Thing page(size: Int = 100): ThingList! strict(size: Int!): ThingList }
  type ThingList { items: [Thing!]! total: Int! lazy: Int }
  type Thing { id: ID lazy: Int a: String b: String parts: [Thing!]! owner: User }
`

const things = Array.from({ length: 3 }, (_, index) => ({ id: String(index), parts: [], lazy: () => index }))

const resolvers = {
  Query: { version: () => '1', user: () => ({ id: '1' }), things: () => things },
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
}

export const executor = (input: { jit?: boolean; cacheBytes?: number } = {}) =>
  createExecutor({
    schema: assembleSchema([{ typeDefs, resolvers }]),
    listBounds: { 'Query.things': ({ names }) => (Array.isArray(names) ? names.length : 50), 'Thing.parts': 100 },
    rowCosts: {
      'Query.things': 0,
      'Thing.parts': 0,
      'User.page': ({ size }) => ({ rows: Number(size), total: 10_000 }),
      'User.strict': 0,
    },
    jit: true,
    ...input,
  })

export const shared = executor()

export function prepared(request: OperationRequest, by = shared) {
  const operation = by.prepare(request)
  if (!operation.ok) throw new Error(operation.errors[0]?.message)
  return operation
}

export function rejection(query: string, variables?: Record<string, unknown>) {
  const operation = shared.prepare({ query, variables })
  if (operation.ok) throw new Error(`expected a rejection, but the executor accepted ${query}`)
  const [{ message, extensions } = { message: '', extensions: {} }] = operation.errors
  return { code: operation.code, message, ...extensions }
}
