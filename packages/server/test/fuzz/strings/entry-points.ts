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
import { typeQueries } from '../../access/type-queries.ts'

/** An argument that accepts a string, directly or inside its value. */
export interface StringArgument {
  field: string
  document: string
  variables: (text: string) => Record<string, unknown>
}

/** Returns a plain value for a required argument that is not under test. */
function plainValue(type: GraphQLInputType, name: string, own: OwnedObjects): unknown {
  const nullable = getNullableType(type)
  if (isListType(nullable)) return [plainValue(nullable.ofType, name, own)]
  const named = getNamedType(type)
  if (isInputObjectType(named)) {
    const fields = Object.values(named.getFields()).filter((field) => isNonNullType(field.type))
    return Object.fromEntries(fields.map((field) => [field.name, plainValue(field.type, field.name, own)]))
  }
  if (named.name === 'Object') return { a: 'b' }
  const known: Record<string, string> = {
    deviceId: own.device,
    serviceId: own.service,
    key: 'MKAAAAAAAAAAAAAAAAAA',
    url: own.webhookUrl,
    state: 'active',
    webhookId: own.webhook,
  }
  return known[name] ?? (name === 'id' ? own.device : 'x')
}

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

export function stringArguments(schema: GraphQLSchema, own: OwnedObjects): StringArgument[] {
  const roots = ['Query', 'Mutation']
  const types = [...roots, ...Object.keys(typeQueries)].map((name) => schema.getType(name)!)
  return types.flatMap((type) => {
    if (!('getFields' in type) || isInputObjectType(type)) return []
    return Object.values(type.getFields()).flatMap((field) =>
      field.args
        .filter((arg) => valuesWith(arg.type, '', own).length > 0)
        .map((arg) => argumentOf(type.name, field, { tested: arg, own })),
    )
  })
}

function argumentOf(
  type: string,
  field: { name: string; type: unknown; args: readonly GraphQLArgument[] },
  { tested, own }: { tested: GraphQLArgument; own: OwnedObjects },
): StringArgument {
  const passedArguments = field.args.filter(
    (arg) => arg === tested || (isNonNullType(arg.type) && arg.defaultValue === undefined),
  )
  const declared = passedArguments.map((arg) => `$${arg.name}: ${arg.type}`).join(', ')
  const passed = passedArguments.map((arg) => `${arg.name}: $${arg.name}`).join(', ')
  const named = getNamedType(field.type as GraphQLInputType)
  const selection = `${field.name}(${passed})${'getFields' in named ? ' { __typename }' : ''}`
  const inner = typeQueries[type]?.(own, selection) ?? `{ ${selection} }`
  const kind = type === 'Mutation' || inner.startsWith('mutation') ? 'mutation' : 'query'
  return {
    field: `${type}.${field.name}(${tested.name}:)`,
    document: `${kind} (${declared}) ${inner.replace(/^mutation /, '')}`,
    variables: (text) => {
      const values = valuesWith(tested.type, text, own)
      const plain = Object.fromEntries(passedArguments.map((arg) => [arg.name, plainValue(arg.type, arg.name, own)]))
      return { ...plain, [tested.name]: values[text.length % values.length] }
    },
  }
}
