import { type GraphQLSchema, isObjectType, parse } from 'graphql'
import { fragmentsOf } from '../../graphql/documents/selection-plan.ts'
import { fragments } from '../fragments.ts'
import { restCodes } from '../statuses.ts'
import { inputComponents, type JsonSchema, objectSchema } from './json-schema.ts'

export function components(schema: GraphQLSchema): Record<string, JsonSchema> {
  const all: Record<string, JsonSchema> = { ...inputComponents(schema), Error: errorSchema }
  const byName = fragmentsOf(parse(Object.values(fragments).join('\n')))
  for (const { name, typeCondition, selectionSet } of byName.values()) {
    const type = schema.getType(typeCondition.name.value)
    if (!isObjectType(type))
      throw new Error(`the fragment ${name.value} must be on an object type, not on ${typeCondition.name.value}`)
    all[name.value] = {
      ...objectSchema({ set: selectionSet, type, fragments: byName }),
      ...(type.description && { description: type.description }),
    }
  }
  return all
}

const errorSchema: JsonSchema = {
  type: 'object',
  required: ['errors'],
  properties: {
    errors: {
      type: 'array',
      items: {
        type: 'object',
        required: ['message', 'extensions'],
        properties: {
          message: {
            type: 'string',
            description: 'The problem and, where possible, its location and the correct input.',
          },
          extensions: {
            type: 'object',
            required: ['code'],
            properties: { code: { type: 'string', enum: restCodes } },
            additionalProperties: true,
          },
        },
      },
    },
  },
}
