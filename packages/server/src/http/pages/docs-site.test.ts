import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliCompressSync } from 'node:zlib'
import fastify, { type FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { registerNotFound } from '../error-responses.ts'
import { registerConsole } from './console.ts'
import { registerDocs } from './docs-site.ts'

const headers = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
const script = 'export const answer = 42\n'.repeat(100)

let folder: string
let app: FastifyInstance
beforeAll(async () => {
  folder = `${await mkdtemp(join(tmpdir(), 'muster-docs-'))}/dist/`
  await mkdir(join(folder, 'assets'), { recursive: true })
  await mkdir(join(folder, 'decisions'))
  await writeFile(join(folder, '..', 'secret.txt'), 'outside')
  await writeFile(join(folder, 'index.html'), '<title>home</title>')
  await writeFile(join(folder, 'lists.html'), '<title>lists</title>')
  await writeFile(join(folder, 'decisions/index.html'), '<title>decisions</title>')
  await writeFile(join(folder, '404.html'), '<title>not found</title>')
  await writeFile(join(folder, 'schema.graphql.txt'), 'type Query')
  await writeFile(join(folder, 'assets/check-dark-mode.js'), script)
  await writeFile(join(folder, 'assets/app.B1x_2-aZ.js'), script)
  await writeFile(join(folder, 'assets/app.B1x_2-aZ.js.br'), brotliCompressSync(script))
  app = fastify()
  registerConsole(app, { folder: join(folder, 'no-console/') })
  registerDocs(app, { folder })
  registerNotFound(app)
  await app.ready()
})
afterAll(async () => {
  await app.close()
  await rm(join(folder, '..'), { recursive: true })
})

describe('pages of the documentation', () => {
  it.each([
    ['/docs/', 'home'],
    ['/docs/lists.html', 'lists'],
    ['/docs/lists', 'lists'],
    ['/docs/lists?q=1', 'lists'],
    ['/docs/decisions/', 'decisions'],
    ['/docs/decisions', 'decisions'],
  ])('are found at their addresses: %s leads to %s', async (url, title) => {
    const response = await app.inject({ url, headers })
    expect([response.statusCode, response.body]).toEqual([200, `<title>${title}</title>`])
    expect(response.headers['content-type']).toMatch(/^text\/html/)
    expect(response.headers['cache-control']).toBe('no-cache')
  })

  it('include the home page, to which /docs redirects', async () => {
    const response = await app.inject({ url: '/docs', headers })
    expect([response.statusCode, response.headers.location]).toEqual([302, '/docs/'])
  })

  it.each(['/docs/nothing', '/docs/nothing/', '/docs/nothing.html', '/docs/assets/gone.js', '/docs/assets/'])(
    '%s shows the page for unknown addresses with status 404',
    async (url) => {
      const response = await app.inject({ url, headers })
      expect([response.statusCode, response.body]).toEqual([404, '<title>not found</title>'])
      expect(response.headers['cache-control']).toBe('no-cache')
    },
  )

  it('cannot load from other hosts, run inline scripts, or be embedded in a frame', async () => {
    for (const url of ['/docs/', '/docs/lists', '/docs/nothing', '/docs/assets/app.B1x_2-aZ.js']) {
      const response = await app.inject({ url, headers })
      const policy = String(response.headers['content-security-policy'])
      expect(policy.split('; ')).toEqual(
        expect.arrayContaining(["default-src 'none'", "script-src 'self'", "frame-ancestors 'none'"]),
      )
      expect(policy).not.toMatch(/https?:|\*|unsafe-eval/)
      expect(response.headers['x-content-type-options']).toBe('nosniff')
    }
  })
})

describe('files of the documentation', () => {
  it('are cached for a year if their name contains a hash, and are compressed if the client accepts that', async () => {
    const url = '/docs/assets/app.B1x_2-aZ.js'
    const response = await app.inject({ url, headers: { 'accept-encoding': 'gzip, br' } })
    expect(response.headers['cache-control']).toBe('public, max-age=31536000, immutable')
    expect(response.headers['content-encoding']).toBe('br')
    expect(response.headers['content-type']).toMatch(/javascript/)
    expect((await app.inject({ url })).body).toBe(script)
  })

  it('are revalidated if their name contains no hash', async () => {
    const { headers } = await app.inject({ url: '/docs/assets/check-dark-mode.js' })
    expect(headers['cache-control']).toBe('no-cache')
  })

  it('are sent as plain text if their name ends in .txt', async () => {
    const response = await app.inject({ url: '/docs/schema.graphql.txt' })
    expect([response.headers['content-type'], response.body]).toEqual(['text/plain; charset=utf-8', 'type Query'])
  })

  it.each(['/docs/../secret.txt', '/docs/%2e%2e/secret.txt', '/docs/..%2fsecret.txt', '/docs/..%5csecret.txt'])(
    'outside the site are not readable: %s',
    async (url) => {
      expect((await app.inject({ url, headers })).body).not.toContain('outside')
    },
  )
})

it('explains how to build the documentation if it is not built', async () => {
  const bare = fastify()
  registerDocs(bare, { folder: join(folder, 'nowhere/') })
  for (const url of ['/docs/', '/docs/lists']) {
    const response = await bare.inject({ url, headers })
    expect(response.statusCode).toBe(503)
    expect(response.headers['content-type']).toMatch(/^text\/html/)
    expect(response.body).toContain('npm run docs')
  }
  await bare.close()
})
