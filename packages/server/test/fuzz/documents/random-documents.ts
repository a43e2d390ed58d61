import {
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql'
import type { Random } from '../random.ts'
import { naughtyStrings } from '../strings/naughty-strings.ts'

export interface RandomRequest {
  query: string
  variables: Record<string, unknown>
}

/** Generates a request for fields and arguments of the schema, with valid, almost valid, and invalid values. */
export function randomRequest(schema: GraphQLSchema, knownStrings: readonly string[], random: Random): RandomRequest {
  const declared: string[] = []
  const variables: Record<string, unknown> = {}
  const fragments: string[] = []
  let names = 0

  const json = (type: GraphQLInputType, depth: number): unknown => {
    const nullable = getNullableType(type)
    if (!isNonNullType(type) && random.oneIn(8)) return null
    if (isListType(nullable)) return Array.from({ length: random.below(4) }, () => json(nullable.ofType, depth))
    if (isEnumType(nullable)) return random.pick(nullable.getValues()).name
    if (isInputObjectType(nullable)) {
      const fields = Object.values(nullable.getFields()).filter(
        ({ type: own }) => isNonNullType(own) || random.oneIn(2),
      )
      return Object.fromEntries(fields.map((field) => [field.name, json(field.type, depth - 1)]))
    }
    switch (getNamedType(nullable).name) {
      case 'Int':
        return random.pick([0, 1, -1, 2, 22, 100, 1_000, 1_001, 65_535, 2 ** 31 - 1, -(2 ** 31), 5])
      case 'Boolean':
        return random.oneIn(2)
      case 'DateTime':
        return random.pick([
          '2026-11-20',
          '2026-11-20T08:30:00Z',
          '0001-01-01',
          '9999-12-31T23:59:59Z',
          random.pick(naughtyStrings),
        ])
      case 'Object':
        return Object.fromEntries(
          Array.from({ length: random.below(4) }, () => {
            const value = random.pick([string(), null, 1, true, {}, [], { [string()]: string() }])
            return [string(), value]
          }),
        )
      default:
        return string()
    }
  }
  const string = (): string => (random.oneIn(3) ? random.pick(naughtyStrings) : random.pick(knownStrings))

  const args = ({ args: all }: GraphQLField<unknown, unknown>): string => {
    const used = all.filter(
      ({ type, defaultValue }) => (isNonNullType(type) && defaultValue === undefined) || random.oneIn(3),
    )
    const written = used.map(({ name, type }) => {
      const variable = `v${names++}`
      declared.push(`$${variable}: ${type}`)
      variables[variable] = json(type, 2)
      return `${name}: $${variable}`
    })
    return written.length > 0 ? `(${written.join(', ')})` : ''
  }

  const directive = (): string => {
    if (!random.oneIn(8)) return ''
    const variable = `v${names++}`
    declared.push(`$${variable}: Boolean!`)
    variables[variable] = random.oneIn(2)
    return ` @${random.pick(['skip', 'include'])}(if: $${variable})`
  }

  const selection = (type: GraphQLObjectType, depth: number): string => {
    const fields = Object.values(type.getFields()).filter(
      (field) => depth > 0 || !isObjectType(getNamedType(field.type)),
    )
    const parts = Array.from({ length: 1 + random.below(4) }, () => {
      if (depth > 0 && random.oneIn(10)) return `...${directive()} ${selection(type, depth - 1)}`
      if (depth > 0 && random.oneIn(10)) {
        const name = `F${names++}`
        fragments.push(`fragment ${name} on ${type.name} ${selection(type, depth - 1)}`)
        return `...${name}${directive()}`
      }
      if (fields.length === 0 || random.oneIn(12)) return '__typename'
      const field = random.pick(fields)
      const below = getNamedType(field.type)
      const inner = isObjectType(below) ? ` ${selection(below, depth - 1)}` : ''
      return `k${names++}: ${field.name}${args(field)}${directive()}${inner}`
    })
    return `{ ${parts.join(' ')} }`
  }

  const isMutation = random.oneIn(3)
  const root = isMutation ? schema.getMutationType()! : schema.getQueryType()!
  const body = selection(root, 1 + random.below(6))
  const variablesPart = declared.length > 0 ? `(${declared.join(', ')})` : ''
  return { query: `${isMutation ? 'mutation' : 'query'} ${variablesPart} ${body}\n${fragments.join('\n')}`, variables }
}
