import type { FastifyInstance } from 'fastify'

/** Adds the request ID from the log to every response. */
export function registerRequestId(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id)
    done()
  })
}
