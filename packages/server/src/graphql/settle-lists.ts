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

const settled = new WeakSet<Resolver>()

/** Member of a resolver's `info` in compiled operations alone. */
export const compiledMark = { compiled: true }

/**
 * Makes the results of list resolvers fit for the executor that asks: `settleItems` for compiled operations, `deferItems` for the
 * plain executor. The resolvers of the schema are replaced, once.
 */
export function settleLists(schema: GraphQLSchema): void {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || type.name.startsWith('__')) continue
    for (const field of Object.values(type.getFields())) {
      const isList = isListType(getNullableType(field.type))
      if (isList && field.resolve && !settled.has(field.resolve)) field.resolve = settling(field.resolve)
    }
  }
}

function settling(resolve: Resolver): Resolver {
  const settle: Resolver = (source, args, context, info) => {
    const result: unknown = resolve(source, args, context, info)
    if ('compiled' in info) return isPromise(result) ? result.then(settleItems) : settleItems(result)
    const fit = (list: unknown): unknown => deferItems(settleItems(list), info.returnType)
    return isPromise(result) ? result.then(fit) : fit(result)
  }
  settled.add(settle)
  return settle
}

/**
 * A compiled operation puts the place of a rejected promise of a list at the list's end. So promises are awaited here, and a
 * rejection becomes an Error in its place, which is the error of that item.
 */
function settleItems(list: unknown): unknown {
  if (!Array.isArray(list) || !list.some(isPromise)) return list
  return Promise.all(list.map((item: unknown) => (isPromise(item) ? item.then(undefined, asError) : item)))
}

/**
 * When an item of a list fails at once, graphql-js 16 gives the list up and nobody listens to the promises of the items before: one
 * that rejects would end the process. Items that are promises themselves fail later, when all are listened to.
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

/** Anything with a `then` to call, as executors see it. */
export const isPromise = (value: unknown): value is Promise<unknown> =>
  typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function'
