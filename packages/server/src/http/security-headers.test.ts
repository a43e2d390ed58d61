import { afterAll, beforeAll, expect, it } from 'vitest'
import { openStream } from '../../test/clients/event-stream.ts'
import { sharedTestApp, type TestApp } from '../../test/harness/app.ts'

const app = sharedTestApp()
let behindProxy: TestApp
beforeAll(async () => {
  behindProxy = await app.startAnother({ env: { MUSTER_PUBLIC_URL: 'https://muster.example.com' } })
})
afterAll(() => behindProxy.close())

const requests: [what: string, path: string, init: RequestInit][] = [
  ['health', '/healthz', {}],
  ['metrics', '/metrics', {}],
  ['GraphQL', '/graphql/v1?query={version}', {}],
  ['an invalid document', '/graphql/v1', { method: 'POST', body: '{' }],
  ['a subscription without authentication', '/graphql/v1/stream', { method: 'POST', body: '{}' }],
  ['the schema', '/graphql/v1/schema.graphql', {}],
  ['REST', '/rest/v1/openapi.json', {}],
  ['a REST request without authentication', '/rest/v1/devices', {}],
  ['a session request', '/auth/get-session', {}],
  ['a device without credentials', '/devices/v1/report', { method: 'POST', body: '{}' }],
  ['a download of events without a link', '/events/v1.csv', {}],
  ['an unknown path', '/nothing', {}],
  ['a path that cannot be decoded', '/rest/v1/%zz', {}],
]

it.each(requests)('keeps pages from embedding, framing, or running the response to %s', async (_what, path, init) => {
  const { headers } = await fetch(`${app.url}${path}`, init)
  expect(Object.fromEntries(headers)).toMatchObject({
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'referrer-policy': 'no-referrer',
    'cross-origin-resource-policy': 'same-origin',
  })
  expect(headers.has('strict-transport-security')).toBe(false)
})

it.each(requests)(
  'requires HTTPS in the response to %s if the public URL is an https URL',
  async (_what, path, init) => {
    const { headers } = await fetch(`${behindProxy.url}${path}`, init)
    expect(headers.get('strict-transport-security')).toBe('max-age=31536000')
  },
)

it('sends security headers with streams, and other ones with console pages', async () => {
  const stream = await openStream({ app, user: app.owner, query: 'subscription { events { id } }' })
  expect(stream.headers['x-content-type-options']).toBe('nosniff')
  stream.cut()
  for (const path of ['/', '/graphql/v1/doc']) {
    const { headers } = await fetch(`${behindProxy.url}${path}`, { headers: { accept: 'text/html' } })
    expect(headers.get('content-security-policy')).toMatch(/script-src 'self'.*frame-ancestors 'none'/)
    expect(headers.get('referrer-policy')).toBe('same-origin')
    expect(headers.get('strict-transport-security')).toBe('max-age=31536000')
  }
})
