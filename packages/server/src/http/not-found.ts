import type { FastifyInstance } from 'fastify'

/** Any other path: the same form of error as everywhere, and a word on where the API is. */
export function registerNotFound(app: FastifyInstance): void {
  app.setNotFoundHandler((request, reply) => {
    const message = `nothing is at ${request.method} ${request.url.slice(0, 200)}; the API is at /graphql/v1`
    return reply.code(404).send({ errors: [{ message, extensions: { code: 'NOT_FOUND' } }] })
  })
}
