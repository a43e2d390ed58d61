import { signRequest } from '@muster/http-signature'
import { describe, expect, it, onTestFinished } from 'vitest'
import { errorOf, newPerson, signIn } from '../../test/clients/browser.ts'
import { openStream } from '../../test/clients/event-stream.ts'
import { sharedTestApp } from '../../test/harness/app.ts'

const ALLOWED = 'https://dashboard.example.com'
const OTHER = 'https://dashboard.example.com.attacker.example'
const login = '{ login { email } }'

const app = sharedTestApp({ env: { MUSTER_CORS_ORIGINS: `${ALLOWED}, http://localhost:5173/` } })

const paths = ['/graphql/v1', '/graphql/v1/stream', '/rest/v1/devices', '/rest/v1/devices/10:a/attributes', '/rest/v1']

const corsOf = (headers: Headers): string[] =>
  [...headers.keys()].filter((name) => name.startsWith('access-control-') || name === 'vary').sort()

const preflight = (url: string, origin: string, method = 'POST'): Promise<Response> =>
  fetch(url, {
    method: 'OPTIONS',
    headers: {
      origin,
      'access-control-request-method': method,
      'access-control-request-headers': 'content-digest,content-type,idempotency-key,signature,signature-input',
    },
  })

describe('an allowed origin', () => {
  it.each(paths)('passes a preflight request for %s', async (path) => {
    const response = await preflight(`${app.url}${path}`, ALLOWED)
    expect([response.status, await response.text()]).toEqual([204, ''])
    expect(response.headers.get('access-control-allow-origin')).toBe(ALLOWED)
    expect(response.headers.get('vary')).toBe('Origin')
    expect(response.headers.get('access-control-allow-methods')).toContain('POST')
    const allowed = response.headers.get('access-control-allow-headers')?.split(', ')
    const needed = [
      'authorization',
      'content-digest',
      'content-type',
      'idempotency-key',
      'signature',
      'signature-input',
    ]
    expect(allowed).toEqual(expect.arrayContaining(needed))
    expect(response.headers.has('access-control-allow-credentials')).toBe(false)
  })

  it('can read the response to a signed request', async () => {
    const url = `${app.url}/graphql/v1`
    const { keyId, secret, email } = app.owner
    const key = { algorithm: 'hmac-sha256', secret: Buffer.from(secret, 'base64') } as const
    const headers = { 'content-type': 'application/json', origin: 'http://localhost:5173' }
    const body = JSON.stringify({ query: login })
    const created = Math.floor(Date.now() / 1_000)
    const signature = signRequest({ keyId, key, method: 'POST', url, headers, body, created })
    const response = await fetch(url, { method: 'POST', headers: { ...headers, ...signature }, body })
    expect(await response.json()).toEqual({ data: { login: { email } } })
    expect(response.headers.get('access-control-allow-origin')).toBe('http://localhost:5173')
    const exposed = response.headers.get('access-control-expose-headers')
    expect(exposed).toBe('RateLimit, RateLimit-Policy, Retry-After, x-request-id, Link, Location')
    expect(response.headers.has('access-control-allow-credentials')).toBe(false)
  })

  it.each([
    ['/graphql/v1', { method: 'POST', body: '{', headers: { 'content-type': 'application/json' } }, 400],
    ['/graphql/v1', { method: 'POST', body: 'x', headers: { 'content-encoding': 'gzip' } }, 415],
    ['/graphql/v1', { method: 'DELETE' }, 405],
    ['/rest/v1/devices', {}, 401],
    ['/rest/v1/nothing', {}, 404],
    ['/rest/v1/%zz', {}, 400],
  ] satisfies [string, RequestInit, number][])('can read the error after %s with %j', async (path, init, status) => {
    const headers = { ...('headers' in init && init.headers), origin: ALLOWED }
    const response = await fetch(`${app.url}${path}`, { ...init, headers })
    expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([status, ALLOWED])
    expect(response.headers.get('vary')).toBe('Origin')
  })

  it('can read a stream', async () => {
    const headers = { origin: ALLOWED }
    const stream = await openStream({ app, user: app.owner, query: 'subscription { events { id } }', headers })
    expect(stream.headers['access-control-allow-origin']).toBe(ALLOWED)
    stream.cut()
  })

  it('cannot use a session', async () => {
    const browser = await signIn(app, await newPerson(app))
    const headers = { origin: ALLOWED, 'sec-fetch-site': 'cross-site' }
    expect((await browser.query(login)).status).toBe(200)
    expect(errorOf(await browser.query(login, {}, { headers }))).toEqual([401, 'UNAUTHENTICATED', 'missing'])
    const response = await preflight(`${app.url}/graphql/v1`, ALLOWED)
    expect(response.headers.get('access-control-allow-headers')).not.toContain('muster-session')
  })

  it.each(['/auth/get-session', '/', '/graphql/v1/doc', '/devices/v1/report', '/healthz'])(
    'receives no CORS headers from %s',
    async (path) => {
      const response = await fetch(`${app.url}${path}`, { headers: { origin: ALLOWED } })
      expect(corsOf(response.headers).filter((name) => name !== 'vary')).toEqual([])
      expect(corsOf((await preflight(`${app.url}${path}`, ALLOWED)).headers)).toEqual([])
    },
  )
})

describe('an origin that is not allowed', () => {
  it.each([OTHER, 'http://dashboard.example.com', 'https://dashboard.example.com:8443', 'null'])(
    'receives no CORS headers: %s',
    async (origin) => {
      for (const path of paths) {
        expect(corsOf((await preflight(`${app.url}${path}`, origin)).headers)).toEqual(['vary'])
        expect(corsOf((await fetch(`${app.url}${path}`, { headers: { origin } })).headers)).toEqual(['vary'])
      }
    },
  )

  it('is every origin by default', async () => {
    const closed = await app.startAnother()
    onTestFinished(() => closed.close())
    const response = await preflight(`${closed.url}/graphql/v1`, ALLOWED)
    expect([response.status, corsOf(response.headers)]).toEqual([405, []])
  })
})
