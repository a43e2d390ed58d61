import { fileURLToPath } from 'node:url'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { exists } from '../../lib/exists.ts'
import { consoleHeaders } from './console-headers.ts'
import { isSafePath, sendNotBuilt, YEAR_SECONDS } from './static-files.ts'

const built = fileURLToPath(new URL('../../../../../docs/.vitepress/dist/', import.meta.url))

/** Serves the documentation of this release at `/docs`, from the files that `npm run docs` writes. */
export function registerDocs(app: FastifyInstance, { folder = built }: { folder?: string } = {}): void {
  app.register(async (scope) => {
    await scope.register(fastifyStatic, { serve: false, preCompressed: true })

    const send = (reply: FastifyReply, name: string): FastifyReply => {
      const headers = consoleHeaders('index.html')
      // The name of an asset contains a hash of its contents, so the file never changes.
      if (/^assets\/.*\.[\w-]{8,}\.\w+$/.test(name))
        return reply.headers(headers).sendFile(name, folder, { maxAge: YEAR_SECONDS * 1_000, immutable: true })
      return reply.headers({ ...headers, 'cache-control': 'no-cache' }).sendFile(name, folder, { cacheControl: false })
    }

    scope.get('/docs', (_request, reply) => reply.redirect('/docs/'))
    scope.get<{ Params: { '*': string } }>('/docs/*', async (request, reply) => {
      if (!(await exists(`${folder}index.html`)))
        return sendNotBuilt(reply, { what: 'the documentation', command: 'npm run docs' })
      for (const name of fileNames(request.params['*'])) {
        if (isSafePath(name) && (await exists(`${folder}${name}`))) return send(reply, name)
      }
      return send(reply.code(404), '404.html')
    })
  })
}

function fileNames(path: string): string[] {
  if (path === '' || path.endsWith('/')) return [`${path}index.html`]
  return /\.\w+$/.test(path) ? [path] : [`${path}.html`, `${path}/index.html`]
}
