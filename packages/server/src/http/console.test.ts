import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliCompressSync } from 'node:zlib'
import fastify, { type FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../test/harness/app.ts'
import { registerConsole } from './console.ts'
import { registerNotFound } from './not-found.ts'

const page = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
const script = 'export const answer = 42\n'.repeat(100)

let folder: string
let app: FastifyInstance
beforeAll(async () => {
  folder = `${await mkdtemp(join(tmpdir(), 'muster-console-'))}/dist/`
  await mkdir(join(folder, 'assets'), { recursive: true })
  await writeFile(join(folder, '..', 'secret.txt'), 'outside')
  await writeFile(join(folder, 'index.html'), '<title>console</title>')
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

describe('pages', () => {
  it.each(['/', '/devices', '/devices/80:00:1f:00:00:00:00:01', '/account/keys', '/events?types=DEVICE_STATE', '/a.b'])(
    '%s is the console',
    async (url) => {
      const answer = await app.inject({ url, headers: page })
      expect([answer.statusCode, answer.body]).toEqual([200, '<title>console</title>'])
      expect(answer.headers['content-type']).toMatch(/^text\/html/)
      expect(answer.headers['cache-control']).toBe('no-cache')
    },
  )

  it('/graphql/v1/doc is the reference', async () => {
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
  ])('%s is none', async (url) => {
    const answer = await app.inject({ url, headers: page })
    expect([answer.statusCode, answer.json().errors[0].extensions.code]).toEqual([404, 'NOT_FOUND'])
  })

  it('are for those who ask for pages, not for programs', async () => {
    expect((await app.inject({ url: '/devices', headers: { accept: 'application/json' } })).statusCode).toBe(404)
    expect((await app.inject({ method: 'POST', url: '/devices', headers: page })).statusCode).toBe(404)
  })

  it('may load nothing from elsewhere, run nothing inline and stand in no frame', async () => {
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

describe('files', () => {
  it('with a hash in the name are kept for a year, and come compressed to those who take that', async () => {
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

  it('without one are asked for anew, and not sent again when they are the same', async () => {
    const first = await app.inject({ url: '/sw.js' })
    expect(first.headers['cache-control']).toBe('no-cache')
    const again = await app.inject({ url: '/sw.js', headers: { 'if-none-match': String(first.headers.etag) } })
    expect(again.statusCode).toBe(304)
  })

  it.each(['/assets/gone.js', '/assets/', '/gone.png', '/assets/%00.js', '/favicon.ico'])(
    'that are not there are not found: %s',
    async (url) => {
      const answer = await app.inject({ url, headers: page })
      expect([answer.statusCode, answer.headers['content-type']]).toEqual([404, 'application/json; charset=utf-8'])
    },
  )

  it.each([
    '/assets/../../secret.txt',
    '/assets/%2e%2e/%2e%2e/secret.txt',
    '/assets/..%2f..%2fsecret.txt',
    '/..%2fsecret.txt',
    '/%2e%2e/secret.txt',
    '/..%5csecret.txt',
  ])('outside the build are out of reach: %s', async (url) => {
    const { statusCode, body } = await app.inject({ url, headers: page })
    expect(statusCode).toBe(404)
    expect(body).not.toContain('outside')
  })
})

describe('without a build', () => {
  it('a page says how to make one', async () => {
    const bare = fastify()
    registerConsole(bare, { folder: join(folder, 'nowhere/') })
    for (const url of ['/', '/devices', '/graphql/v1/doc']) {
      const answer = await bare.inject({ url, headers: page })
      expect(answer.statusCode).toBe(503)
      expect(answer.headers['content-type']).toMatch(/^text\/html/)
      expect(answer.body).toContain('npm run build')
    }
    await bare.close()
  })
})

describe('beside the API', () => {
  let whole: TestApp
  beforeAll(async () => {
    whole = await startTestApp()
  })
  afterAll(() => whole.close())

  it('everything else is served as before', async () => {
    expect((await whole.owner.data('{ login { email } }')).login.email).toBe(whole.owner.email)
    expect((await fetch(`${whole.url}/healthz`, { headers: page })).status).toBe(200)
    expect(await (await fetch(`${whole.url}/graphql/v1/schema.graphql`, { headers: page })).text()).toContain(
      'type Query',
    )
    expect((await fetch(`${whole.url}/graphql/v1?query={version}`)).status).toBe(200)
  })
})
