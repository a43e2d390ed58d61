import DataLoader from 'dataloader'
import {
  type ExecutionResult,
  type GraphQLResolveInfo,
  GraphQLScalarType,
  type GraphQLSchema,
  Kind,
  print,
} from 'graphql'
import { ApiError } from '../errors.ts'
import { assembleSchema } from './assemble.ts'
import type { RowCosts } from './cost/scanned-row-estimate.ts'
import { formatResult } from './error-mapping.ts'
import { placeOfNull } from './first-errors.ts'
import { createExecutor, type Executor, type OperationRequest } from './prepare-operation.ts'

/** The context of the test schema, which covers cases in which executors may differ. Records batches and changes. */
export interface ParityContext {
  readonly batches: number[]
  readonly changes: string[]
  readonly loader: DataLoader<number, Person | Error>
}

export interface Person {
  id: number
  name: string | null
  color: string | null
  tags: (string | null)[] | null
  born: Date | null
}

const typeDefs = /* GraphQL */ `
  scalar DateTime
  scalar Any
  enum Color { RED GREEN }
  input Box { width: Int! = 3 label: String tags: [String] inner: Box }
  type Query {
    version: String!
    person(id: Int! = 1): Person
    sure(id: Int! = 1): Person!
    people(size: Int = 2, ids: [Int!]): [Person]
    allSure(size: Int = 2): [Person!]!
    echo(box: Box, list: [Int], text: String = "none", color: Color = GREEN, any: Any, at: DateTime, flag: Boolean = true): String
    nothing: String
  }
  type Mutation {
    change(to: String!, late: Boolean! = false): Person
    refuse(to: String!, late: Boolean! = false): Person!
  }
  type Person {
    id: ID!
    name: String
    sureName: String!
    nick(prefix: String = "-", upper: Boolean): String
    color: Color
    born: DateTime
    tags: [String!]
    grid(size: Int = 2): [[Int]]
    friend: Person
    sureFriend: Person!
    friends(size: Int = 2): [Person]
    sureFriends(size: Int = 2): [Person!]
    crash: String
    crashLater: String
    sureCrash: String!
    sureCrashLater: String!
    errors: [String]
    promised: [String]
    half_open: String
    half: Half
    mirror: Mirror
  }
  type Half { open: String person: Person mirror: Mirror }
  "An object that returns, in the field 'selected', the selection sets that the document applies to the object."
  type Mirror { selected: String other: Int }
`

const makePerson = (id: number): Person => ({
  id,
  name: id % 4 === 0 ? null : `p${id}`,
  color: [null, 'RED', 'GREEN', 'RED'][id % 4] ?? null,
  tags: [null, ['a'], ['a', null], []][id % 4] ?? null,
  born: id % 3 === 0 ? null : new Date(id * 86_400_000),
})

const later = <Value>(value: Value): Promise<Value> => new Promise((resolve) => setImmediate(resolve, value))

const crash = (text: string): never => {
  throw new ApiError('CONFLICT', text)
}

const friends = ({ id }: Person, { size }: { size: number | null }, { loader }: ParityContext) =>
  Promise.all(Array.from({ length: size ?? 0 }, (_, index) => loader.load(id * 2 + index)))

const mirror = (_source: unknown, _args: unknown, _context: unknown, { fieldNodes }: GraphQLResolveInfo) => ({
  selected: fieldNodes.map(({ selectionSet }) => selectionSet && print(selectionSet)).join(),
})

const DateTime = new GraphQLScalarType<Date, string>({
  name: 'DateTime',
  serialize: (value) => (value as Date).toISOString(),
  parseValue: (value) => new Date(String(value)),
  parseLiteral: (node) => new Date(node.kind === Kind.STRING ? node.value : Number.NaN),
})

/** Prints a Date differently from its string, and null differently from undefined. Sorts the members of objects. */
function show(value: unknown): string {
  if (value instanceof Date) return `date ${value.getTime()}`
  if (Array.isArray(value)) return `[${value.map(show).join()}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'undefined'
  const members = Object.entries(value).map(([key, member]) => `${key}: ${show(member)}`)
  return `{${members.sort().join()}}`
}

const resolvers = {
  DateTime,
  Query: {
    version: () => '1.0.0',
    person: (_: unknown, { id }: { id: number }, { loader }: ParityContext) => (id < 0 ? null : loader.load(id)),
    sure: (_: unknown, { id }: { id: number }, { loader }: ParityContext) => (id < 0 ? null : loader.load(id)),
    people: (_: unknown, { size, ids }: { size: number | null; ids?: number[] | null }, { loader }: ParityContext) =>
      (ids ?? Array.from({ length: size ?? 0 }, (_item, index) => index)).map((id) =>
        id === 3 ? null : loader.load(id),
      ),
    allSure: (_: unknown, { size }: { size: number | null }) =>
      Array.from({ length: size ?? 0 }, (_item, index) => makePerson(index + 1)),
    echo: (_: unknown, args: unknown) => show(args),
  },
  Mutation: {
    async change(_: unknown, { to, late }: { to: string; late: boolean }, { changes }: ParityContext) {
      if (late) await later(undefined)
      changes.push(to)
      return makePerson(to.length)
    },
    async refuse(_: unknown, { to, late }: { to: string; late: boolean }, { changes }: ParityContext) {
      if (late) await later(undefined)
      changes.push(`refused ${to}`)
      return crash('refused')
    },
  },
  Person: {
    id: ({ id }: Person) => String(id),
    sureName: ({ name }: Person) => name,
    nick: ({ name }: Person, { prefix, upper }: { prefix: string | null; upper?: boolean }) =>
      `${prefix}${upper ? name?.toUpperCase() : name}`,
    grid: ({ id }: Person, { size }: { size: number | null }) =>
      Array.from({ length: size ?? 0 }, (_, row) => (row === 1 ? null : [id, null, row])),
    friend: ({ id }: Person, _: unknown, { loader }: ParityContext) => loader.load(id + 1),
    sureFriend: ({ id }: Person, _: unknown, { loader }: ParityContext) => (id % 3 === 0 ? null : loader.load(id + 1)),
    friends,
    sureFriends: friends,
    crash: () => crash('now'),
    crashLater: () => later('late').then(crash),
    sureCrash: () => crash('now'),
    sureCrashLater: () => later('late').then(crash),
    errors: () => ['a', new ApiError('NOT_FOUND', 'in a list'), 'b'],
    promised: () => [later('a'), later('').then(() => crash('in a list')), Promise.resolve('c')],
    half_open: () => 'joined',
    half: ({ id }: Person) => ({ open: `apart ${id}`, person: makePerson(id) }),
    mirror,
  },
  Half: { mirror },
}

export const paritySchema = (): GraphQLSchema => assembleSchema([{ typeDefs, resolvers }])

const listBounds = {
  'Query.people': 10,
  'Query.allSure': 10,
  'Person.friends': 10,
  'Person.sureFriends': 10,
}

const rowCosts: RowCosts = Object.fromEntries(Object.keys(listBounds).map((field) => [field, 0]))

export const parityExecutor = (jit: boolean): Executor =>
  createExecutor({ schema: paritySchema(), listBounds, rowCosts, jit, limits: { objects: 1e9 } })

export function parityContext(): ParityContext {
  const batches: number[] = []
  const loader = new DataLoader<number, Person>(
    async (ids) => {
      batches.push(ids.length)
      return later(ids.map((id) => (id % 7 === 6 ? new ApiError('UNAVAILABLE', `no person ${id}`) : makePerson(id))))
    },
    { cache: false },
  )
  return { batches, changes: [], loader }
}

/**
 * Returns the parts of a response that must be equal for every executor. Executors can report different errors below a
 * null that propagated from a required field. For such a null, the errors therefore contain only the path that the null
 * reached. After an error, an executor does not have to wait for values that it no longer needs. Batches are therefore
 * included only if the response has no errors.
 */
export function comparable(result: ExecutionResult, { batches, changes }: ParityContext) {
  const { data, errors = [] } = formatResult(result, { requestId: 'r', onInternal: () => {} })
  const found = errors.map(({ path = [], extensions, message }) => {
    const place = placeOfNull(data, path)
    return place < path.length ? `null at ${path.slice(0, place)}` : `${path} ${extensions?.code} ${message}`
  })
  return {
    data: JSON.stringify(data),
    errors: Array.from(new Set(found)).sort(),
    changes,
    ...(errors.length === 0 && { batches }),
  }
}

/**
 * Runs a request three times, because an executor compiles an operation at its second use. Returns the last response,
 * or the errors if the executor rejects the request.
 */
export async function responseOf(executor: Executor, request: OperationRequest) {
  let response: unknown
  for (let use = 1; use <= 3; use += 1) {
    const prepared = executor.prepare(request)
    if (!prepared.ok) return { rejected: prepared.errors }
    const contextValue = parityContext()
    response = comparable(await prepared.execute({ contextValue }), contextValue)
  }
  return response
}
