import { readFileSync } from 'node:fs'
import {
  buildSchema,
  type GraphQLSchema,
  isObjectType,
  isScalarType,
  lexicographicSortSchema,
  printSchema,
} from 'graphql'
import type { Resolvers } from '../resolvers.generated.ts'

export interface SchemaPart {
  typeDefs?: string
  resolvers: Resolvers
}

export function schemaPart(file: URL, resolvers: Resolvers): SchemaPart {
  return { typeDefs: readFileSync(file, 'utf8'), resolvers }
}

/** Throws if a resolver does not match a type or field in the SDL. */
export function assembleSchema(parts: readonly { typeDefs?: string; resolvers?: object }[]): GraphQLSchema {
  const schema = buildSchema(parts.map(({ typeDefs = '' }) => typeDefs).join('\n'))
  for (const { resolvers = {} } of parts)
    for (const [typeName, resolver] of Object.entries(resolvers)) addResolver(schema, typeName, resolver)
  return schema
}

function addResolver(schema: GraphQLSchema, typeName: string, resolver: object): void {
  const type = schema.getType(typeName)
  if (isScalarType(type) && isScalarType(resolver)) {
    const { description, serialize, parseValue, parseLiteral } = resolver
    Object.assign(type, { description, serialize, parseValue, parseLiteral })
    return
  }
  if (!isObjectType(type))
    throw new Error(`the resolver ${typeName} does not match an object or scalar type in the SDL`)
  for (const [name, resolve] of Object.entries(resolver)) {
    const field = type.getFields()[name]
    if (field === undefined) throw new Error(`the resolver ${typeName}.${name} does not match a field in the SDL`)
    // For a field of Subscription, `resolve` is an object with the functions `subscribe` and `resolve`.
    Object.assign(field, typeof resolve === 'function' ? { resolve } : resolve)
  }
}

export function printSdl(schema: GraphQLSchema): string {
  return `${printSchema(lexicographicSortSchema(schema))}\n`
}
