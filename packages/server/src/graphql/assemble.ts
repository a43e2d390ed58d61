import { readFileSync } from 'node:fs'
import { makeExecutableSchema } from '@graphql-tools/schema'
import { type GraphQLSchema, lexicographicSortSchema, printSchema } from 'graphql'
import type { Resolvers } from '../resolvers.generated.ts'

/** A part of the schema. It has resolvers and, if it has its own SDL file, type definitions. */
export interface SchemaPart {
  typeDefs?: string
  resolvers: Resolvers
}

export function schemaPart(file: URL, resolvers: Resolvers): SchemaPart {
  return { typeDefs: readFileSync(file, 'utf8'), resolvers }
}

/** Combines all parts into one schema. Throws if a resolver does not match a field in the SDL. */
export function assembleSchema(parts: readonly SchemaPart[]): GraphQLSchema {
  return makeExecutableSchema({
    typeDefs: parts.flatMap(({ typeDefs }) => (typeDefs === undefined ? [] : [typeDefs])),
    resolvers: parts.map(({ resolvers }) => resolvers),
    resolverValidationOptions: { requireResolversToMatchSchema: 'error' },
  })
}

/** Prints the schema as SDL in sorted order. The output therefore does not depend on the order of the parts. */
export function printSdl(schema: GraphQLSchema): string {
  return `${printSchema(lexicographicSortSchema(schema))}\n`
}
