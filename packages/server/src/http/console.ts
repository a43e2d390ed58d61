import { access } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type ConsolePage, consoleHeaders } from './console-headers.ts'
import { notBuiltPage } from './console-not-built.ts'

const built = fileURLToPath(new URL('../../../console/dist/', import.meta.url))

/** Ways into the server that pages never have. */
const RESERVED = /^\/(graphql|auth|rest|devices\/v1|events\/v1\.csv|healthz|readyz|metrics|mqtt)(\/|$)/

/** A file of the build, and no page: what is not there is not found. */
const FILE = /\.(js|css|map|html|svg|png|ico|webp|webmanifest|json|txt|wasm|woff2?|ttf|br|gz)$/

const YEAR_SECONDS = 365 * 86_400

/**
 * The console and the schema reference at `/` and `/graphql/v1/doc`, from the files that `npm run build` writes. Paths of the
 * console's pages are answered with its one document; what the pages load comes from here alone.
 */
export function registerConsole(app: FastifyInstance, { folder = built }: { folder?: string } = {}): void {
  app.register(async (scope) => {
    await scope.register(fastifyStatic, { serve: false, preCompressed: true })
    // The router takes `GET *` and `GET http://…` for paths; pages have none of these (RFC 9112 §3.2).
    scope.addHook('onRequest', async (request, reply) => {
      if (!request.url.startsWith('/')) return reply.callNotFound()
    })

    const sendPage = async (reply: FastifyReply, page: ConsolePage): Promise<FastifyReply> => {
      if (!(await isThere(`${folder}${page}`))) return sendNotBuilt(reply)
      return reply
        .headers({ ...consoleHeaders(page), 'cache-control': 'no-cache' })
        .sendFile(page, folder, { cacheControl: false })
    }

    scope.get('/', (_request, reply) => sendPage(reply, 'index.html'))
    scope.get('/graphql/v1/doc', (_request, reply) => sendPage(reply, 'doc.html'))
    scope.get<{ Params: { '*': string } }>('/assets/*', async (request, reply) => {
      const name = `assets/${request.params['*']}`
      if (!isPlain(name) || !(await isThere(`${folder}${name}`))) return reply.callNotFound()
      // Their names carry a hash of what is in them.
      return reply
        .headers(consoleHeaders('doc.html'))
        .sendFile(name, folder, { maxAge: YEAR_SECONDS * 1_000, immutable: true })
    })
    scope.get<{ Params: { '*': string } }>('/*', async (request, reply) => {
      const name = request.params['*']
      if (RESERVED.test(`/${name}`)) return reply.callNotFound()
      if (!FILE.test(name)) return takesPages(request) ? sendPage(reply, 'index.html') : reply.callNotFound()
      if (!isPlain(name) || !(await isThere(`${folder}${name}`))) return reply.callNotFound()
      return reply
        .headers({ ...consoleHeaders('index.html'), 'cache-control': 'no-cache' })
        .sendFile(name, folder, { cacheControl: false })
    })
  })
}

/** Somebody who opens an address, not a program that asks for whatever there is. */
const takesPages = ({ headers }: FastifyRequest): boolean => /\btext\/html\b/i.test(headers.accept ?? '')

/** Leads nowhere but down. */
const isPlain = (name: string): boolean => name.split('/').every((part) => /^[\w-][\w.~-]*$/.test(part))

async function isThere(path: string): Promise<boolean> {
  try {
    await access(path)
    return true
  } catch {
    return false
  }
}

const sendNotBuilt = (reply: FastifyReply): FastifyReply =>
  reply
    .code(503)
    .headers({ ...consoleHeaders('index.html'), 'cache-control': 'no-store' })
    .type('text/html; charset=utf-8')
    .send(notBuiltPage)
