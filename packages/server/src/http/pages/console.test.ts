import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliCompressSync } from 'node:zlib'
import fastify, { type FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sharedTestApp } from '../../../test/harness/app.ts'
import { registerNotFound } from '../error-responses.ts'
import { registerConsole } from './console.ts'

const page = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
const script = 'export const answer = 42\n'.repeat(100)

let folder: string
let app: FastifyInstance
beforeAll(async () => {
  folder = `${await mkdtemp(join(tmpdir(), 'muster-console-'))}/dist/`
  await mkdir(join(folder, 'assets'), { recursive: true })
  await writeFile(join(folder, '..', 'secret.txt'), 'outside')
  await writeFile(join(folder, 'index.html'), '<title>console</title>')
  await writeFile(join(folder, 'overview.html'), '<title>overview</title>')
  await writeFile(join(folder, 'doc.html'), '<title>reference</title>')
  await writeFile(join(folder, 'sw.js'), 'self.skipWaiting()')
  await writeFile(join(folder, 'assets', 'main-B1x_2-.js'), script)
  await writeFile(join(folder, 'assets', 'main-B1x_2-.js.br'), brotliCompressSync(script))
  app = fastify()
  registerConsole(app, { folder })
  registerNotFound(app)
  await app.ready()
})
afterAll(async () => {
  await app.close()
  await rm(join(folder, '..'), { recursive: true })
})

describe('pages of the console', () => {
  it.each([
    '/devices',
    '/accounts/1/devices',
    '/devices/80:00:1f:00:00:00:00:01',
    '/account/keys',
    '/events?types=DEVICE_STATE',
    '/a.b',
  ])('%s serves the console', async (url) => {
    const response = await app.inject({ url, headers: page })
    expect([response.statusCode, response.body]).toEqual([200, '<title>console</title>'])
    expect(response.headers['content-type']).toMatch(/^text\/html/)
    expect(response.headers['cache-control']).toBe('no-cache')
  })

  it.each(['/', '/overview', '/overview?span=week', '/accounts/0b-1/', '/accounts/0b-1/overview'])(
    '%s serves the document for the overview if the request has a session cookie',
    async (url) => {
      const cookie = '__Host-muster.session_token=abc'
      expect((await app.inject({ url, headers: { ...page, cookie } })).body).toBe('<title>overview</title>')
      expect((await app.inject({ url, headers: page })).body).toBe('<title>console</title>')
    },
  )

  it('include the API reference at /graphql/v1/doc', async () => {
    expect((await app.inject({ url: '/graphql/v1/doc', headers: page })).body).toBe('<title>reference</title>')
  })

  it.each([
    '/graphql',
    '/graphql/v2',
    '/auth/sign-in/email',
    '/rest/v1/nothing',
    '/devices/v1/register',
    '/metrics',
    '/mqtt',
  ])('do not include %s', async (url) => {
    const response = await app.inject({ url, headers: page })
    expect([response.statusCode, response.json().errors[0].extensions.code]).toEqual([404, 'NOT_FOUND'])
  })

  it('are sent only to clients that accept HTML', async () => {
    expect((await app.inject({ url: '/devices', headers: { accept: 'application/json' } })).statusCode).toBe(404)
    expect((await app.inject({ method: 'POST', url: '/devices', headers: page })).statusCode).toBe(404)
  })

  it('cannot load from other hosts, run inline scripts, or be embedded in a frame', async () => {
    for (const url of ['/', '/graphql/v1/doc', '/sw.js', '/assets/main-B1x_2-.js']) {
      const { headers } = await app.inject({ url, headers: page })
      const policy = String(headers['content-security-policy'])
      const directives = new Map(policy.split('; ').map((each) => each.split(/ (.*)/s) as [string, string]))
      expect(directives.get('default-src')).toBe("'none'")
      expect(directives.get('frame-ancestors')).toBe("'none'")
      expect(directives.get('script-src')).toMatch(/^'self'( 'wasm-unsafe-eval')?$/)
      expect(policy).not.toMatch(/https?:|\*/)
      expect(headers['x-content-type-options']).toBe('nosniff')
      expect(headers['referrer-policy']).toBe('same-origin')
      expect(headers['permissions-policy']).toContain('camera=()')
    }
  })
})

describe('files of the console', () => {
  it('are cached for a year if their name contains a hash, and are compressed if the client accepts that', async () => {
    const url = '/assets/main-B1x_2-.js'
    const plain = await app.inject({ url })
    expect([plain.statusCode, plain.body]).toEqual([200, script])
    expect(plain.headers['cache-control']).toBe('public, max-age=31536000, immutable')
    expect(plain.headers.vary).toBe('accept-encoding')
    const small = await app.inject({ url, headers: { 'accept-encoding': 'gzip, br' } })
    expect(small.headers['content-encoding']).toBe('br')
    expect(small.headers['content-type']).toMatch(/javascript/)
    expect(small.rawPayload.length).toBeLessThan(plain.rawPayload.length)
  })

  it('are revalidated if their name contains no hash, and are sent again only after a change', async () => {
    const first = await app.inject({ url: '/sw.js' })
    expect(first.headers['cache-control']).toBe('no-cache')
    const again = await app.inject({ url: '/sw.js', headers: { 'if-none-match': String(first.headers.etag) } })
    expect(again.statusCode).toBe(304)
  })

  it.each(['/assets/gone.js', '/assets/', '/gone.png', '/assets/%00.js', '/favicon.ico'])(
    'return 404 if they do not exist: %s',
    async (url) => {
      const response = await app.inject({ url, headers: page })
      expect([response.statusCode, response.headers['content-type']]).toEqual([404, 'application/json; charset=utf-8'])
    },
  )

  it.each([
    '/assets/../../secret.txt',
    '/assets/%2e%2e/%2e%2e/secret.txt',
    '/assets/..%2f..%2fsecret.txt',
    '/..%2fsecret.txt',
    '/%2e%2e/secret.txt',
    '/..%5csecret.txt',
  ])('are not readable outside the build: %s', async (url) => {
    const { statusCode, body } = await app.inject({ url, headers: page })
    expect(statusCode).toBe(404)
    expect(body).not.toContain('outside')
  })
})

describe('a console that is not built', () => {
  it('shows a page that explains how to build the console', async () => {
    const bare = fastify()
    registerConsole(bare, { folder: join(folder, 'nowhere/') })
    for (const url of ['/', '/devices', '/graphql/v1/doc']) {
      const response = await bare.inject({ url, headers: page })
      expect(response.statusCode).toBe(503)
      expect(response.headers['content-type']).toMatch(/^text\/html/)
      expect(response.body).toContain('npm run build')
    }
    await bare.close()
  })
})

describe('the console together with the API', () => {
  const complete = sharedTestApp()

  it('leaves the other routes unchanged', async () => {
    expect((await complete.owner.data('{ login { email } }')).login.email).toBe(complete.owner.email)
    expect((await fetch(`${complete.url}/healthz`, { headers: page })).status).toBe(200)
    expect(await (await fetch(`${complete.url}/graphql/v1/schema.graphql`, { headers: page })).text()).toContain(
      'type Query',
    )
    expect((await fetch(`${complete.url}/graphql/v1?query={version}`)).status).toBe(200)
  })
})
