import { type GraphQLFieldResolver, type GraphQLSchema, getNullableType, isLeafType, isObjectType } from 'graphql'

/** Whether objects of a type are pages (`list.ts`): they hold `items`, as many as `size` of the field that they stand at. */
export const isPageType = (name: string): boolean => name.endsWith('List')

/**
 * Lets the members of a page be functions, called when they are selected: `total` costs a query. Only here, since a compiled
 * operation reads members of other objects as they are.
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
