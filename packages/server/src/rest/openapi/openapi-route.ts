import type { FastifyInstance } from 'fastify'
import type { RestInput, RestViewer } from '../handle-request.ts'

export function serveDescriptions<Viewer extends RestViewer>(
  scope: FastifyInstance,
  { beforeRequest }: Pick<RestInput<Viewer>, 'beforeRequest'>,
  makeReference: () => string,
): void {
  let openapi: string | undefined
  let reference: string | undefined
  scope.get('/openapi.json', async (request, reply) => {
    beforeRequest?.({ request, reply, viewer: null })
    openapi ??= JSON.stringify(scope.swagger())
    return reply.type('application/json; charset=utf-8').send(openapi)
  })
  scope.get('/', async (request, reply) => {
    beforeRequest?.({ request, reply, viewer: null })
    reference ??= makeReference()
    return reply.type('text/markdown; charset=utf-8').send(reference)
  })
}
