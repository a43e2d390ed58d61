import type { FastifyInstance } from 'fastify'

/** Adds the request's ID to every response. The log contains the same ID, so an operator can find the request there. */
export function registerRequestId(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id)
    done()
  })
}
