import type { FastifyInstance } from 'fastify'

/** Any other path: the same form of error as everywhere, and a word on where the API is. */
export function registerNotFound(app: FastifyInstance): void {
  app.setNotFoundHandler((request, reply) => {
    // Without the query, which may hold a secret for the right path.
    const [path = ''] = request.url.split('?', 1)
    const message = `nothing is at ${request.method} ${path.slice(0, 200)}; the API is at /graphql/v1`
    return reply.code(404).send({ errors: [{ message, extensions: { code: 'NOT_FOUND' } }] })
  })
}
