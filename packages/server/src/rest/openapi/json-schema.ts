import {
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLInputType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
  isScalarType,
  Kind,
  type SelectionSetNode,
} from 'graphql'

/** A JSON Schema (2020-12) in the form that OpenAPI 3.1 uses. */
export interface JsonSchema {
  $ref?: string
  type?: string | string[]
  format?: string
  description?: string
  enum?: (string | null)[]
  items?: JsonSchema
  properties?: Record<string, JsonSchema>
  required?: string[]
  additionalProperties?: boolean
  allOf?: JsonSchema[]
  anyOf?: JsonSchema[]
  default?: unknown
  'x-consume'?: string
}

export const componentRef = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` })

const scalars: Readonly<Record<string, JsonSchema>> = {
  ID: { type: 'string' },
  String: { type: 'string' },
  Boolean: { type: 'boolean' },
  Int: { type: 'integer', format: 'int32' },
  Float: { type: 'number', format: 'double' },
  DateTime: { type: 'string', format: 'date-time' },
  Object: { type: 'object', additionalProperties: true },
}

function scalarSchema(name: string): JsonSchema {
  const schema = scalars[name]
  if (schema === undefined) throw new Error(`the REST API has no JSON schema for the scalar ${name}`)
  return schema
}

export function orNull(schema: JsonSchema): JsonSchema {
  if (typeof schema.type === 'string' && schema.enum === undefined) return { ...schema, type: [schema.type, 'null'] }
  return { anyOf: [schema, { type: 'null' }] }
}

export function inputSchema(type: GraphQLInputType): JsonSchema {
  if (isNonNullType(type)) return inputSchema(type.ofType as GraphQLInputType)
  if (isListType(type)) return { type: 'array', items: inputSchema(type.ofType as GraphQLInputType) }
  return isScalarType(type) ? scalarSchema(type.name) : componentRef(getNamedType(type).name)
}

export const nullableInputSchema = (type: GraphQLInputType): JsonSchema =>
  isNonNullType(type) ? inputSchema(type) : orNull(inputSchema(type))

export interface Selected {
  readonly set: SelectionSetNode
  readonly type: GraphQLObjectType
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>
}

/** A single fragment spread becomes a reference to the fragment's component. Other selections become inline objects. */
export function selectionSchema({ set, type, fragments }: Selected): JsonSchema {
  const [only, ...more] = set.selections
  if (only?.kind === Kind.FRAGMENT_SPREAD && more.length === 0) return componentRef(only.name.value)
  return objectSchema({ set, type, fragments })
}

export function objectSchema({ set, type, fragments }: Selected): JsonSchema {
  const properties: Record<string, JsonSchema> = {}
  const required: string[] = []
  for (const node of fieldNodes(set, fragments)) {
    const field = type.getFields()[node.name.value]
    if (field === undefined) throw new Error(`${type.name} has no field ${node.name.value}`)
    const key = (node.alias ?? node.name).value
    const description = field.description ?? undefined
    properties[key] = { ...outputSchema(field.type, node, fragments), ...(description && { description }) }
    if (!node.directives?.length) required.push(key)
  }
  return { type: 'object', properties, required }
}

export function* fieldNodes(set: SelectionSetNode, fragments: Selected['fragments']): Generator<FieldNode> {
  for (const selection of set.selections) {
    if (selection.kind === Kind.FIELD) yield selection
    if (selection.kind !== Kind.FRAGMENT_SPREAD) continue
    const fragment = fragments.get(selection.name.value)
    if (fragment !== undefined) yield* fieldNodes(fragment.selectionSet, fragments)
  }
}

function outputSchema(type: GraphQLOutputType, node: FieldNode, fragments: Selected['fragments']): JsonSchema {
  if (isNonNullType(type)) return presentSchema(type.ofType as GraphQLOutputType, node, fragments)
  return orNull(presentSchema(type, node, fragments))
}

function presentSchema(type: GraphQLOutputType, node: FieldNode, fragments: Selected['fragments']): JsonSchema {
  if (isListType(type)) return { type: 'array', items: outputSchema(type.ofType as GraphQLOutputType, node, fragments) }
  if (isScalarType(type)) return scalarSchema(type.name)
  if (isObjectType(type) && node.selectionSet !== undefined) {
    return selectionSchema({ set: node.selectionSet, type, fragments })
  }
  return componentRef(getNamedType(type).name)
}

export function inputComponents(schema: GraphQLSchema): Record<string, JsonSchema> {
  const components: Record<string, JsonSchema> = {}
  for (const type of Object.values(schema.getTypeMap())) {
    if (type.name.startsWith('__')) continue
    if (isEnumType(type)) components[type.name] = { type: 'string', enum: type.getValues().map(({ name }) => name) }
    if (!isInputObjectType(type)) continue
    const fields = Object.values(type.getFields())
    components[type.name] = {
      type: 'object',
      additionalProperties: false,
      properties: Object.fromEntries(
        fields.map(({ name, type: given, description, defaultValue }) => [
          name,
          {
            ...nullableInputSchema(given),
            ...(description && { description }),
            ...(defaultValue !== undefined && { default: defaultValue }),
          },
        ]),
      ),
      required: fields
        .filter((field) => isNonNullType(field.type) && field.defaultValue === undefined)
        .map((f) => f.name),
    }
  }
  return components
}
