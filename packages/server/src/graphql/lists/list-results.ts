import {
  type GraphQLFieldResolver,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNullableType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql'

type Resolver = GraphQLFieldResolver<unknown, unknown>

const adaptedResolvers = new WeakSet<Resolver>()

/** A member of a resolver's `info` that only compiled operations have. */
export const compiledMark = { compiled: true }

/**
 * Adapts the results of list resolvers to the executor: `awaitItems` for compiled operations, `deferItems` for the plain
 * executor. It replaces the schema's resolvers, once.
 */
export function adaptListResults(schema: GraphQLSchema): void {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || type.name.startsWith('__')) continue
    for (const field of Object.values(type.getFields())) {
      const isList = isListType(getNullableType(field.type))
      if (isList && field.resolve && !adaptedResolvers.has(field.resolve)) field.resolve = adaptResolver(field.resolve)
    }
  }
}

function adaptResolver(resolve: Resolver): Resolver {
  const adapted: Resolver = (source, args, context, info) => {
    const result: unknown = resolve(source, args, context, info)
    if ('compiled' in info) return isPromise(result) ? result.then(awaitItems) : awaitItems(result)
    const adapt = (list: unknown): unknown => deferItems(awaitItems(list), info.returnType)
    return isPromise(result) ? result.then(adapt) : adapt(result)
  }
  adaptedResolvers.add(adapted)
  return adapted
}

/**
 * A compiled operation moves a rejected promise of a list to the list's end. Promises are therefore awaited here, and a
 * rejection becomes an Error at the same index, which is the error of that item.
 */
function awaitItems(list: unknown): unknown {
  if (!Array.isArray(list) || !list.some(isPromise)) return list
  return Promise.all(list.map((item: unknown) => (isPromise(item) ? item.then(undefined, asError) : item)))
}

/**
 * If an item of a list fails synchronously, graphql-js 16 abandons the list without handling the promises of earlier items, and
 * a rejection would end the process. Items wrapped in promises fail later, when all of them are handled.
 */
export function deferItems(list: unknown, type: GraphQLOutputType): unknown {
  if (isPromise(list)) return list.then((items) => deferItems(items, type))
  const nullable = getNullableType(type)
  const isAtRisk = isListType(nullable) && isNonNullType(nullable.ofType) && !isLeafType(nullable.ofType.ofType)
  if (!isAtRisk || !Array.isArray(list)) return list
  return list.map((item: unknown) => (item instanceof Error ? item : Promise.resolve(item)))
}

const asError = (reason: unknown): Error =>
  reason instanceof Error ? reason : new Error(String(reason), { cause: reason })

/** Whether a value has a `then` method, which is how executors detect promises. */
export const isPromise = (value: unknown): value is Promise<unknown> =>
  typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function'
