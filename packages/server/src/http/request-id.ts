import type { FastifyInstance } from 'fastify'

/** Adds the request's ID to the response. Log lines about the request contain the same ID. */
export function registerRequestId(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id)
    done()
  })
}
