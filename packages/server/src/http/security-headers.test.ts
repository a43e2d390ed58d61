import { afterAll, beforeAll, expect, it } from 'vitest'
import { openStream } from '../../test/clients/event-stream.ts'
import { startTestApp, type TestApp } from '../../test/harness/app.ts'

let app: TestApp
let behindProxy: TestApp
beforeAll(async () => {
  app = await startTestApp()
  behindProxy = await app.startAnother({ env: { MUSTER_PUBLIC_URL: 'https://muster.example.com' } })
})
afterAll(async () => {
  await behindProxy.close()
  await app.close()
})

const requests: [what: string, path: string, init: RequestInit][] = [
  ['health', '/healthz', {}],
  ['metrics', '/metrics', {}],
  ['GraphQL', '/graphql/v1?query={version}', {}],
  ['a refused document', '/graphql/v1', { method: 'POST', body: '{' }],
  ['nobody who subscribes', '/graphql/v1/stream', { method: 'POST', body: '{}' }],
  ['the schema', '/graphql/v1/schema.graphql', {}],
  ['REST', '/rest/v1/openapi.json', {}],
  ['nobody in REST', '/rest/v1/devices', {}],
  ['sign-in from elsewhere', '/auth/get-session', {}],
  ['a device without credentials', '/devices/v1/report', { method: 'POST', body: '{}' }],
  ['events without a link', '/events/v1.csv', {}],
  ['nothing', '/nothing', {}],
  ['a path that cannot be read', '/rest/v1/%zz', {}],
]

it.each(requests)('the answer to %s is nothing that a page could show, frame or run', async (_what, path, init) => {
  const { headers } = await fetch(`${app.url}${path}`, init)
  expect(Object.fromEntries(headers)).toMatchObject({
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'referrer-policy': 'no-referrer',
    'cross-origin-resource-policy': 'same-origin',
  })
  expect(headers.has('strict-transport-security')).toBe(false)
})

it.each(requests)('with https in front the answer to %s has browsers come so', async (_what, path, init) => {
  const { headers } = await fetch(`${behindProxy.url}${path}`, init)
  expect(headers.get('strict-transport-security')).toBe('max-age=31536000')
})

it('streams say the same, and pages of the console what is for them', async () => {
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
