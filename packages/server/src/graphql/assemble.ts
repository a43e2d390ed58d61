import { readFileSync } from 'node:fs'
import { makeExecutableSchema } from '@graphql-tools/schema'
import { type GraphQLSchema, lexicographicSortSchema, printSchema } from 'graphql'
import type { Resolvers } from '../resolvers.generated.ts'

/** A part of the schema: its SDL, if it has a separate file, and its resolvers. */
export interface SchemaPart {
  typeDefs?: string
  resolvers: Resolvers
}

/** Reads a part of the schema from its SDL file. */
export function schemaPart(file: URL, resolvers: Resolvers): SchemaPart {
  return { typeDefs: readFileSync(file, 'utf8'), resolvers }
}

/** Combines all parts into one schema. Throws if a resolver has no declared field. */
export function assembleSchema(parts: readonly SchemaPart[]): GraphQLSchema {
  return makeExecutableSchema({
    typeDefs: parts.flatMap(({ typeDefs }) => (typeDefs === undefined ? [] : [typeDefs])),
    resolvers: parts.map(({ resolvers }) => resolvers),
    resolverValidationOptions: { requireResolversToMatchSchema: 'error' },
  })
}

/** The schema as SDL, sorted so that the order of parts does not matter. */
export function printSdl(schema: GraphQLSchema): string {
  return `${printSchema(lexicographicSortSchema(schema))}\n`
}
