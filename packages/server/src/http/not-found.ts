import type { FastifyInstance } from 'fastify'

export function registerNotFound(app: FastifyInstance): void {
  app.setNotFoundHandler((request, reply) => {
    // The message omits the query string, because it may contain a secret that was meant for another path.
    const [path = ''] = request.url.split('?', 1)
    const message = `there is no route ${request.method} ${path.slice(0, 200)}; the API is at /graphql/v1`
    return reply.code(404).send({ errors: [{ message, extensions: { code: 'NOT_FOUND' } }] })
  })
}
