import type { FastifyInstance } from 'fastify'
import type { GraphQLSchema } from 'graphql'
import { toApiError } from '../graphql/error-mapping.ts'
import { errorMapping } from '../graphql/run-operation.ts'
import { fromTransportError } from '../graphql/transport/response.ts'
import { HttpError } from '../lib/http-error.ts'
import { limits } from '../limits.ts'
import { deprecationHeaders, PREFIX } from './deprecation-headers.ts'
import { type RestInput, type RestViewer, serve } from './handle-request.ts'
import { registerOpenapi } from './openapi/openapi.ts'
import { serveDescriptions } from './openapi/openapi-route.ts'
import { type Operation, readOperation } from './operation.ts'
import { restReference } from './reference.ts'
import type { Route } from './route.ts'
import { routeGroups } from './routes.ts'
import { sendError } from './send-response.ts'

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const

/** Serves the REST API in a separate Fastify scope, which reads bodies as bytes. */
export function registerRest<Viewer extends RestViewer>(app: FastifyInstance, input: RestInput<Viewer>): void {
  const { schema } = input.executor
  app.register(
    async (scope) => {
      prepareScope(scope, input)
      const table = readTable(schema)
      await registerOpenapi(scope, {
        schema,
        prefix: PREFIX,
        operationAt(method, url) {
          const found = table.get(`${method} ${url}`)
          return found && { tag: found.tag, operation: found.operation() }
        },
      })
      const allowed = new Map<string, string[]>()
      for (const { route, operation } of table.values()) {
        const { method, path } = route
        const url = routerPath(path)
        allowed.set(url, [...(allowed.get(url) ?? []), method])
        scope.route({ method, url, handler: (request, reply) => serve(input, operation(), { request, reply }) })
      }
      serveDescriptions(scope, input, () => restReference(schema))
      for (const path of ['/', '/openapi.json']) allowed.set(path, ['GET'])
      for (const [url, methods] of allowed) rejectOtherMethods(scope, url, methods)
      rejectOtherPaths(scope)
    },
    { prefix: PREFIX },
  )
}

interface TaggedRoute {
  tag: string
  route: Route
  /** Reads the route's document on the first call, because a server may never use the route. */
  operation: () => Operation
}

function readTable(schema: GraphQLSchema): Map<string, TaggedRoute> {
  const table = new Map<string, TaggedRoute>()
  for (const [tag, routes] of Object.entries(routeGroups)) {
    for (const route of routes) {
      let read: Operation | undefined
      const operation = (): Operation => (read ??= readOperation(route, schema))
      table.set(`${route.method} ${PREFIX}${routerPath(route.path)}`, { tag, route, operation })
    }
  }
  return table
}

const routerPath = (path: string): string => path.replace(/\{(\w+)\}/g, ':$1')

function prepareScope<Viewer extends RestViewer>(scope: FastifyInstance, input: RestInput<Viewer>): void {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: limits.requestBodyBytes }, (_request, body, done) =>
    done(null, body),
  )
  scope.addHook('onRequest', async (request, reply) => {
    reply.headers({ 'cache-control': 'no-store', ...deprecationHeaders(request.url) })
  })
  scope.setErrorHandler((error, request, reply) => {
    sendError(reply, toApiError(fromTransportError(error, request.headers), errorMapping(input, request)))
  })
}

/**
 * Rejects unknown paths. A not-found handler would not run, because the catch-all routes of the server would match
 * first.
 */
function rejectOtherPaths(scope: FastifyInstance): void {
  scope.all('/*', async (request) => {
    const path = request.url.split('?', 1)[0]?.slice(0, 200)
    throw new HttpError(404, `there is no route ${path}; the routes are listed at ${PREFIX}/openapi.json`)
  })
}

/** Rejects methods that a path does not support (RFC 9110 §15.5.6). */
function rejectOtherMethods(scope: FastifyInstance, url: string, methods: readonly string[]): void {
  const allow = methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])).join(', ')
  const others = [...METHODS, 'HEAD'].filter((method) => !allow.split(', ').includes(method))
  scope.route({
    method: others,
    url,
    exposeHeadRoute: false,
    handler: async ({ method }) => {
      throw new HttpError(405, `${method} is not supported on this path; supported methods: ${allow}`, { allow })
    },
  })
}
