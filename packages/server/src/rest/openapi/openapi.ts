import swagger from '@fastify/swagger'
import type { FastifyInstance } from 'fastify'
import type { GraphQLSchema } from 'graphql'
import { version } from '../../version.ts'
import type { Operation } from '../operation.ts'
import { components } from './openapi-components.ts'
import { operationSchema } from './openapi-operation.ts'

const about = `This API has been deprecated from the start, because the GraphQL API at /graphql/v1 does everything that
this API does, and more. Every route runs a GraphQL document, with the same permissions, limits, and error codes.`

const signing = `Sign every request with an access key, according to draft-cavage-http-signatures-12
(\`Authorization: Signature …\`) or RFC 9421 (\`Signature-Input\` and \`Signature\`). The signature covers the method,
the host, the path and query, the time, and, if the key, the key policy, or the server requires it, a digest of the
body.`

export interface OpenapiInput {
  schema: GraphQLSchema
  prefix: string
  /** Returns the operation of a route in this scope, or undefined if the route is not documented. */
  operationAt: (method: string, url: string) => TaggedOperation | undefined
}

export interface TaggedOperation {
  operation: Operation
  tag: string
}

/** Prepares the scope, so that `scope.swagger()` describes the routes that are registered in it after this call. */
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
        // The types of @fastify/swagger support only OpenAPI 3.0.
        schemas: components(schema) as never,
      },
    },
    transform: ({ url, route }) => {
      const described = typeof route.method === 'string' ? operationAt(route.method, url) : undefined
      if (described === undefined) return { schema: { hide: true }, url }
      return { schema: operationSchema(described.operation, described.tag, schema), url }
    },
    transformObject: (document) => {
      if (!('openapiObject' in document)) throw new Error('the description of the REST API must be OpenAPI 3')
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
