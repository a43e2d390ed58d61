import type { FastifyInstance } from 'fastify'

/** Every answer carries the id under which the log tells of its request. */
export function registerRequestId(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id)
    done()
  })
}
