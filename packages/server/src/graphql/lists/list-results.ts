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

/** A member of a resolver's `info` that only compiled operations set. */
export const compiledMark = { compiled: true }

/** Wraps the resolver of each list field once, so that graphql-js and compiled operations treat failed items alike. */
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
 * Awaits the promises in a list and replaces a rejected promise with an Error at the same index. Otherwise, a compiled
 * operation would move the rejected promise to the end of the list.
 */
function awaitItems(list: unknown): unknown {
  if (!Array.isArray(list) || !list.some(isPromise)) return list
  return Promise.all(list.map((item: unknown) => (isPromise(item) ? item.then(undefined, asError) : item)))
}

/**
 * Wraps the items of a list of required objects, except errors, in promises, so they fail only after graphql-js 16 has
 * handled all of them. If an item fails synchronously, graphql-js abandons the list. It then does not handle the
 * promises of earlier items, whose rejection would end the process.
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

export const isPromise = (value: unknown): value is Promise<unknown> =>
  typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function'
