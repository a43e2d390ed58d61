import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  isScalarType,
} from 'graphql'

export interface Entry {
  /** The URL's hash without `#`, such as `Device`, `Device.attributes`, or `Device.attributes.context`. */
  anchor: string
  /** The displayed name, such as `Device.attributes(context:)`. */
  label: string
  /** The last part of the anchor. */
  name: string
  kind: string
  description: string
}

export interface TypeGroup {
  title: string
  types: GraphQLNamedType[]
}

export interface SchemaIndex {
  groups: TypeGroup[]
  entries: Entry[]
  /** The fields that return a type, and the arguments and input fields that accept the type, keyed by type name. */
  uses: ReadonlyMap<string, Entry[]>
}

export type Member = GraphQLField<unknown, unknown> | GraphQLInputField

export function membersOf(type: GraphQLNamedType): Member[] {
  if (isObjectType(type) || isInterfaceType(type) || isInputObjectType(type)) return Object.values(type.getFields())
  return []
}

export const argumentsOf = (member: Member): readonly GraphQLArgument[] => ('args' in member ? member.args : [])

export function indexSchema(schema: GraphQLSchema): SchemaIndex {
  const types = Object.values(schema.getTypeMap()).filter(({ name }) => !name.startsWith('__'))
  const groups = groupTypes(schema, types)
  const entries: Entry[] = []
  const uses = new Map<string, Entry[]>()
  const addUse = (type: GraphQLNamedType, entry: Entry): void => {
    const list = uses.get(type.name)
    if (list === undefined) uses.set(type.name, [entry])
    else list.push(entry)
  }
  for (const type of groups.flatMap((group) => group.types)) {
    entries.push(entryOf(type, { kind: kindOf(type), anchor: type.name }))
    for (const member of membersOf(type)) {
      const anchor = `${type.name}.${member.name}`
      const entry = entryOf(member, { kind: 'field', anchor })
      entries.push(entry)
      addUse(getNamedType(member.type), entry)
      for (const argument of argumentsOf(member)) {
        const label = `${anchor}(${argument.name}:)`
        const argumentEntry = entryOf(argument, { kind: 'argument', anchor: `${anchor}.${argument.name}`, label })
        entries.push(argumentEntry)
        addUse(getNamedType(argument.type), argumentEntry)
      }
    }
    if (!isEnumType(type)) continue
    for (const value of type.getValues())
      entries.push(entryOf(value, { kind: 'value', anchor: `${type.name}.${value.name}` }))
  }
  return { groups, entries, uses }
}

interface Named {
  name: string
  description?: string | null
}

const entryOf = (
  { name, description }: Named,
  { kind, anchor, label = anchor }: { kind: string; anchor: string; label?: string },
): Entry => ({ anchor, label, name, kind, description: description ?? '' })

export function kindOf(type: GraphQLNamedType): string {
  if (isEnumType(type)) return 'enum'
  if (isInputObjectType(type)) return 'input'
  if (isInterfaceType(type)) return 'interface'
  if (isScalarType(type)) return 'scalar'
  return isObjectType(type) ? 'type' : 'union'
}

function groupTypes(schema: GraphQLSchema, types: readonly GraphQLNamedType[]): TypeGroup[] {
  const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()].filter(
    (type) => type != null,
  )
  const others = types
    .filter((type) => !roots.some((root) => root === type))
    .sort((one, two) => (one.name < two.name ? -1 : 1))
  const ofKind = (...kinds: string[]): GraphQLNamedType[] => others.filter((type) => kinds.includes(kindOf(type)))
  return [
    { title: 'Operations', types: roots },
    { title: 'Types', types: ofKind('type', 'interface', 'union') },
    { title: 'Inputs', types: ofKind('input') },
    { title: 'Enums', types: ofKind('enum') },
    { title: 'Scalars', types: ofKind('scalar') },
  ].filter((group) => group.types.length > 0)
}
