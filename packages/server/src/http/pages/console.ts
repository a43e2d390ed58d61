import { fileURLToPath } from 'node:url'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { hasSessionCookie } from '../../auth/sessions/session-cookie.ts'
import { exists } from '../../lib/exists.ts'
import { type ConsolePage, consoleHeaders } from './console-headers.ts'
import { isSafePath, sendNotBuilt, YEAR_SECONDS } from './static-files.ts'

const built = fileURLToPath(new URL('../../../../console/dist/', import.meta.url))

/** Matches paths for which the route `/*` never sends the console page, because other routes use them. */
const RESERVED = /^\/(graphql|auth|docs|rest|devices\/v1|events\/v1\.csv|healthz|readyz|metrics|mqtt)(\/|$)/

/**
 * Matches the names of files. If the build does not contain a file with such a name, the server responds with 404 and
 * not with the console page.
 */
const FILE = /\.(js|css|map|html|svg|png|ico|webp|webmanifest|json|txt|wasm|woff2?|ttf|br|gz)$/

/** Matches the paths of the overview, with and without an account. `/` also opens the overview. */
const OVERVIEW = /^(\/accounts\/[\w-]+)?\/(overview)?$/

/**
 * Serves the files that `npm run build` writes. The API reference and the overview of a signed-in user have separate
 * HTML documents. The overview's document differs from that of the other pages only in that it requests the page's
 * data early and preloads the page's code. All other console pages share one document.
 */
export function registerConsole(app: FastifyInstance, { folder = built }: { folder?: string } = {}): void {
  app.register(async (scope) => {
    await scope.register(fastifyStatic, { serve: false, preCompressed: true })
    // The router also matches the request targets `*` and `http://…` (RFC 9112 §3.2), which are never pages.
    scope.addHook('onRequest', async (request, reply) => {
      if (!request.url.startsWith('/')) return reply.callNotFound()
    })

    const sendPage = async (reply: FastifyReply, page: ConsolePage): Promise<FastifyReply> => {
      if (!(await exists(`${folder}${page}`)))
        return sendNotBuilt(reply, { what: 'the console', command: 'npm run build' })
      return reply
        .headers({ ...consoleHeaders(page), 'cache-control': 'no-cache' })
        .sendFile(page, folder, { cacheControl: false })
    }

    const sendConsole = ({ url, headers }: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
      const isOverview = OVERVIEW.test(url.replace(/\?.*/s, '')) && hasSessionCookie(headers.cookie)
      return sendPage(reply, isOverview ? 'overview.html' : 'index.html')
    }

    scope.get('/', sendConsole)
    scope.get('/graphql/v1/doc', (_request, reply) => sendPage(reply, 'doc.html'))
    scope.get<{ Params: { '*': string } }>('/assets/*', async (request, reply) => {
      const name = `assets/${request.params['*']}`
      if (!isSafePath(name) || !(await exists(`${folder}${name}`))) return reply.callNotFound()
      // The name of an asset contains a hash of its contents, so the file never changes.
      return reply
        .headers(consoleHeaders('doc.html'))
        .sendFile(name, folder, { maxAge: YEAR_SECONDS * 1_000, immutable: true })
    })
    scope.get<{ Params: { '*': string } }>('/*', async (request, reply) => {
      const name = request.params['*']
      if (RESERVED.test(`/${name}`)) return reply.callNotFound()
      if (!FILE.test(name)) return acceptsHtml(request) ? sendConsole(request, reply) : reply.callNotFound()
      if (!isSafePath(name) || !(await exists(`${folder}${name}`))) return reply.callNotFound()
      return reply
        .headers({ ...consoleHeaders('index.html'), 'cache-control': 'no-cache' })
        .sendFile(name, folder, { cacheControl: false })
    })
  })
}

/** Returns whether the client names HTML in Accept, as browsers do when they open a page. A wildcard does not count. */
const acceptsHtml = ({ headers }: FastifyRequest): boolean => /\btext\/html\b/i.test(headers.accept ?? '')
