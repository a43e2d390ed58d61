import { type GraphQLFieldResolver, type GraphQLSchema, getNullableType, isLeafType, isObjectType } from 'graphql'

/** Checks whether a type is a page. A page contains at most as many `items` as its field's `size` argument allows. */
export const isPageType = (name: string): boolean => name.endsWith('List')

/**
 * Lets leaf members of a page be functions and calls only the selected ones, because `total` costs a query. All other
 * members without a resolver must be plain values, because compiled operations read them directly.
 */
export function resolvePageMembers(schema: GraphQLSchema): void {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || !isPageType(type.name)) continue
    for (const field of Object.values(type.getFields()))
      if (!field.resolve && isLeafType(getNullableType(field.type))) field.resolve = callMember
  }
}

const callMember: GraphQLFieldResolver<unknown, unknown> = (page, _args, _context, { fieldName }) => {
  const member = (page as Record<string, unknown>)[fieldName]
  return typeof member === 'function' ? (member as () => unknown).call(page) : member
}
