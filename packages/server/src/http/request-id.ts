import type { FastifyInstance } from 'fastify'

/** Adds the id that identifies the request in the log to every response. */
export function registerRequestId(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id)
    done()
  })
}
