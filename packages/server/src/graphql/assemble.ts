import { readFileSync } from 'node:fs'
import { makeExecutableSchema } from '@graphql-tools/schema'
import { type GraphQLSchema, lexicographicSortSchema, printSchema } from 'graphql'
import type { Resolvers } from '../resolvers.generated.ts'

/** One part of the schema: its SDL, where it has a file of its own, and what resolves its fields. */
export interface SchemaPart {
  typeDefs?: string
  resolvers: Resolvers
}

/** A part of the schema from its SDL file. */
export function schemaPart(file: URL, resolvers: Resolvers): SchemaPart {
  return { typeDefs: readFileSync(file, 'utf8'), resolvers }
}

/** One schema of all parts; a resolver for a field that no part declares stops the start. */
export function assembleSchema(parts: readonly SchemaPart[]): GraphQLSchema {
  return makeExecutableSchema({
    typeDefs: parts.flatMap(({ typeDefs }) => (typeDefs === undefined ? [] : [typeDefs])),
    resolvers: parts.map(({ resolvers }) => resolvers),
    resolverValidationOptions: { requireResolversToMatchSchema: 'error' },
  })
}

/** The schema as text, in an order that does not hang on which part came first. */
export function schemaText(schema: GraphQLSchema): string {
  return `${printSchema(lexicographicSortSchema(schema))}\n`
}
