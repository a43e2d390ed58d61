import {
  type GraphQLArgument,
  type GraphQLInputType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isInputObjectType,
  isListType,
  isNonNullType,
} from 'graphql'
import type { OwnedObjects } from '../../access/owned-objects.ts'
import { ways } from '../../access/type-queries.ts'

/** An argument that takes a text somewhere. */
export interface TextPlace {
  field: string
  document: string
  variables: (text: string) => Record<string, unknown>
}

/** What is written where something must be and something else is tried. */
function plainValue(type: GraphQLInputType, name: string, own: OwnedObjects): unknown {
  const nullable = getNullableType(type)
  if (isListType(nullable)) return [plainValue(nullable.ofType, name, own)]
  const named = getNamedType(type)
  if (isInputObjectType(named)) {
    const fields = Object.values(named.getFields()).filter((field) => isNonNullType(field.type))
    return Object.fromEntries(fields.map((field) => [field.name, plainValue(field.type, field.name, own)]))
  }
  if (named.name === 'Object') return { a: 'b' }
  const belongings: Record<string, string> = {
    deviceId: own.device,
    serviceId: own.service,
    key: 'MKAAAAAAAAAAAAAAAAAA',
    url: own.webhookUrl,
    state: 'active',
    webhookId: own.webhook,
  }
  return belongings[name] ?? (name === 'id' ? own.device : 'x')
}

/** Every value of an argument that has this text in every place where a text may stand. */
function valuesWith(type: GraphQLInputType, text: string, own: OwnedObjects): unknown[] {
  if (isNonNullType(type)) return valuesWith(type.ofType, text, own)
  if (isListType(type)) return valuesWith(type.ofType, text, own).map((value) => [value])
  if (isInputObjectType(type)) {
    const fields = Object.values(type.getFields())
    const plain = Object.fromEntries(
      fields
        .filter((field) => isNonNullType(field.type))
        .map((field) => [field.name, plainValue(field.type, field.name, own)]),
    )
    return fields.flatMap((field) =>
      valuesWith(field.type, text, own).map((value) => ({ ...plain, [field.name]: value })),
    )
  }
  if (type.name === 'Object') return [{ [text]: 'a' }, { a: text }, { a: { [text]: text } }]
  return ['String', 'ID', 'DateTime'].includes(type.name) ? [text] : []
}

/** Every argument that takes a text somewhere. */
export function textPlaces(schema: GraphQLSchema, own: OwnedObjects): TextPlace[] {
  const roots = ['Query', 'Mutation']
  const types = [...roots, ...Object.keys(ways)].map((name) => schema.getType(name)!)
  return types.flatMap((type) => {
    if (!('getFields' in type) || isInputObjectType(type)) return []
    return Object.values(type.getFields()).flatMap((field) =>
      field.args
        .filter((arg) => valuesWith(arg.type, '', own).length > 0)
        .map((arg) => placeOf(type.name, field, { tried: arg, own })),
    )
  })
}

function placeOf(
  type: string,
  field: { name: string; type: unknown; args: readonly GraphQLArgument[] },
  { tried, own }: { tried: GraphQLArgument; own: OwnedObjects },
): TextPlace {
  const given = field.args.filter((arg) => arg === tried || (isNonNullType(arg.type) && arg.defaultValue === undefined))
  const declared = given.map((arg) => `$${arg.name}: ${arg.type}`).join(', ')
  const passed = given.map((arg) => `${arg.name}: $${arg.name}`).join(', ')
  const named = getNamedType(field.type as GraphQLInputType)
  const selection = `${field.name}(${passed})${'getFields' in named ? ' { __typename }' : ''}`
  const inner = ways[type]?.(own, selection) ?? `{ ${selection} }`
  const kind = type === 'Mutation' || inner.startsWith('mutation') ? 'mutation' : 'query'
  return {
    field: `${type}.${field.name}(${tried.name}:)`,
    document: `${kind} (${declared}) ${inner.replace(/^mutation /, '')}`,
    variables: (text) => {
      const values = valuesWith(tried.type, text, own)
      const plain = Object.fromEntries(given.map((arg) => [arg.name, plainValue(arg.type, arg.name, own)]))
      return { ...plain, [tried.name]: values[text.length % values.length] }
    },
  }
}
