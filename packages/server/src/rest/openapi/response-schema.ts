import { type GraphQLSchema, getNamedType, isObjectType } from 'graphql'
import type { Operation } from '../operation.ts'
import { stepsOf } from '../response-body.ts'
import { fieldNodes, type JsonSchema, type Selected, selectionSchema } from './json-schema.ts'

/** Returns the schema of a route's response: the schema of the selection at `route.at` in the route's document. */
export function responseSchema(operation: Operation, schema: GraphQLSchema): JsonSchema {
  const { route, definition, fragments } = operation
  const root = schema.getRootType(definition.operation)
  if (!root) throw new Error(`the schema has no root type for the operation ${definition.operation}`)
  let place: Selected = { set: definition.selectionSet, type: root, fragments }
  for (const step of stepsOf(route)) {
    if (!('member' in step)) continue
    const below = stepInto(place, step.member)
    if (below === undefined) return { type: 'object', additionalProperties: true }
    place = below
  }
  return withFound(selectionSchema(place), operation)
}

function stepInto({ set, type, fragments }: Selected, member: string): Selected | undefined {
  const node = Array.from(fieldNodes(set, fragments)).find(({ alias, name }) => (alias ?? name).value === member)
  const field = node && type.getFields()[node.name.value]
  if (node === undefined || field === undefined)
    throw new Error(`the document does not select ${member} of ${type.name}`)
  const below = getNamedType(field.type)
  return isObjectType(below) && node.selectionSet ? { set: node.selectionSet, type: below, fragments } : undefined
}

/** Marks the member in `route.found` as non-null, because the server responds with NOT_FOUND if the member is null. */
function withFound(schema: JsonSchema, { route }: Operation): JsonSchema {
  const member = route.found?.[0]
  const found = member === undefined ? undefined : schema.properties?.[member]
  if (member === undefined || found === undefined || !Array.isArray(found.type)) return schema
  const type = found.type.find((each) => each !== 'null') ?? 'string'
  return { ...schema, properties: { ...schema.properties, [member]: { ...found, type } } }
}
