import swagger from '@fastify/swagger'
import type { FastifyInstance } from 'fastify'
import type { GraphQLSchema } from 'graphql'
import { version } from '../version.ts'
import { components } from './openapi-components.ts'
import { operationSchema } from './openapi-operation.ts'
import type { Operation } from './operation.ts'

const about = `Deprecated from the start: the GraphQL API at /graphql/v1 does all of this and more. Every route runs a GraphQL document, with
the same permissions, limits, and error codes.`

const signing = `Every request is signed with an access key, by draft-cavage-http-signatures-12 (\`Authorization: Signature …\`) or by
RFC 9421 (\`Signature-Input\` and \`Signature\`), over the method, the host, the path and query, the time, and, if the key requires it,
a digest of the body.`

export interface OpenapiInput {
  schema: GraphQLSchema
  prefix: string
  /** The operation of a route in this scope; undefined for undocumented routes. */
  operationAt: (method: string, url: string) => TaggedOperation | undefined
}

export interface TaggedOperation {
  operation: Operation
  /** The group of the route. */
  tag: string
}

/** Collects the routes that are registered in this scope from now on. `scope.swagger()` describes them. */
export async function registerOpenapi(
  scope: FastifyInstance,
  { schema, prefix, operationAt }: OpenapiInput,
): Promise<void> {
  await scope.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: { title: 'Muster', version, description: about },
      servers: [{ url: prefix }],
      security: [{ signature: [] }],
      components: {
        securitySchemes: { signature: { type: 'http', scheme: 'signature', description: signing } },
        // This package has only types for OpenAPI 3.0.
        schemas: components(schema) as never,
      },
    },
    transform: ({ url, route }) => {
      const described = typeof route.method === 'string' ? operationAt(route.method, url) : undefined
      if (described === undefined) return { schema: { hide: true }, url }
      return { schema: operationSchema(described.operation, described.tag, schema), url }
    },
    transformObject: (document) => {
      if (!('openapiObject' in document)) throw new Error('the REST API is described as OpenAPI')
      markOptionalBodies(document.openapiObject.paths)
      return document.openapiObject
    },
  })
}

/** Marks bodies without required members as optional, because @fastify/swagger requires every body. */
function markOptionalBodies(paths: object | undefined): void {
  for (const operation of Object.values(paths ?? {}).flatMap((path) => Object.values(path as Described))) {
    const body = operation.requestBody
    if (body?.content['application/json']?.schema?.required?.length === 0) body.required = false
  }
}

type Described = Record<
  string,
  { requestBody?: { required?: boolean; content: Record<string, { schema?: { required?: string[] } } | undefined> } }
>
