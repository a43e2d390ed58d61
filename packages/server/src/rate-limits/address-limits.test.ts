import { expect, onTestFinished, test } from 'vitest'
import { registrationClient } from '../../test/api/device-registration.ts'
import { newPerson, openBrowser, signIn } from '../../test/clients/browser.ts'
import { basic, errorOf, post } from '../../test/clients/http-device.ts'
import { registerDevice } from '../../test/clients/mqtt-device.ts'
import { restClient } from '../../test/clients/rest.ts'
import { sharedTestApp } from '../../test/harness/app.ts'
import { limits } from '../limits.ts'

/** The clock advances only when a test advances it, so points are refilled only then. */
const clock = { now: 0 }

const app = sharedTestApp({
  elapsed: () => clock.now,
  sharesRateLimits: true,
  env: {
    MUSTER_KEY_POINTS: '1000',
    MUSTER_KEY_POINTS_PER_SECOND: '10',
    MUSTER_ADDRESS_POINTS: '100',
    MUSTER_ADDRESS_POINTS_PER_SECOND: '5',
  },
})

const small = '{ login { id } }'

const left = (headers: Headers): number => Number(/;r=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1])

test('charges an address for introspection and invalid credentials, but still accepts keys that have worked from it', async () => {
  clock.now += 60_000
  expect((await app.owner.query(small)).status).toBe(200)
  const send = () =>
    fetch(`${app.url}/graphql/v1?query=${encodeURIComponent('{ __schema { types { name } } version }')}`)
  const first = await send()
  expect(first.headers.get('ratelimit-policy')).toBe('"address";q=100;w=20')
  const before = left(first.headers)
  const registered = await post(app, 'register', { code: 'made up', hardwareId: 'a' })
  expect([registered.status, left(registered.headers)]).toEqual([401, before - 1])
  const wrong = await restClient(app.url, { ...app.owner, secret: 'AAAA' })('GET', '/user')
  expect([wrong.status, left(wrong.headers)]).toEqual([401, before - 2])
  const reported = await post(app, 'report', {}, basic('80:00:00:00:00:00:00:01', 'wrong'))
  expect([reported.status, left(reported.headers)]).toEqual([401, before - 3])

  const statuses = new Set<number>()
  for (let time = 0; time < 100; time++) statuses.add((await send()).status)
  expect(statuses).toEqual(new Set([200, 429]))
  const rejected = await post(app, 'register', { code: 'made up', hardwareId: 'a' })
  expect(errorOf(rejected).slice(0, 2)).toEqual([429, 'RATE_LIMITED'])
  for (const path of ['/rest/v1', '/rest/v1/openapi.json', '/graphql/v1/schema.graphql', '/auth/get-session']) {
    const { status } = await fetch(`${app.url}${path}`, { headers: { 'muster-session': '1' } })
    expect([path, status]).toEqual([path, 429])
  }
  expect((await app.owner.query(small)).status).toBe(200)
  const stranger = await app.createUser()
  expect((await stranger.query(small)).status).toBe(429)
  expect((await fetch(`${app.url}/healthz`)).status).toBe(200)
  // Devices behind the same address can still register, because the server charges a valid code instead of the address.
  const { code } = await registrationClient(app).newCode()
  const honest = await post(app, 'register', { code, hardwareId: 'honest' })
  expect([honest.status, honest.headers.get('ratelimit')]).toEqual([200, '"code";r=999;t=1'])
  clock.now += 60_000
  expect((await send()).status).toBe(200)
  expect((await stranger.query(small)).status).toBe(200)
})

test('charges an address for unreadable requests and requests from another site', async () => {
  const browser = await signIn(app, await newPerson(app))
  clock.now += 60_000
  const evil = { origin: 'https://evil.example' }
  const ways: [what: string, status: number, send: () => Promise<{ status: number; headers: Headers }>][] = [
    ['a report', 400, () => post(app, 'report', '{')],
    ['a report with credentials of another scheme', 401, () => post(app, 'report', {}, 'Bearer x')],
    ['a registration', 400, () => post(app, 'register', '{')],
    ['a registration with credentials of another scheme', 401, () => post(app, 'register', {}, 'Bearer x')],
    ['a sign-in', 400, () => openBrowser(app).send('/auth/sign-in/email', { body: '{' })],
    ['a cross-site sign-in', 403, () => openBrowser(app).send('/auth/sign-in/email', { body: {}, headers: evil })],
    [
      'a session request that no console page sent',
      403,
      () => openBrowser(app).send('/auth/get-session', { headers: { 'muster-session': undefined } }),
    ],
    ['a cross-site session request', 403, () => browser.send('/auth/revoke-sessions', { body: {}, headers: evil })],
  ]
  let expected = 100
  for (const [what, status, send] of ways) {
    const response = await send()
    expect([what, response.status, left(response.headers)]).toEqual([what, status, --expected])
  }
  while (expected-- > 0) await post(app, 'report', '{')
  for (const [what, , send] of ways) expect([what, (await send()).status]).toEqual([what, 429])
  const wrong = await browser.send('/auth/revoke-sessions', { body: '{' })
  expect([wrong.status, wrong.headers.get('ratelimit')]).toEqual([400, '"user";r=999;t=1'])
  clock.now += 60_000
})

test('counts credentials with another scheme as failed attempts', async () => {
  clock.now += 60_000
  const { id, secret } = await registerDevice(app.owner)
  const report = (authorization: string) => post(app, 'report', { state: 'active' }, authorization)
  for (let time = 0; time < 20; time++) expect((await report('Bearer x')).status).toBe(401)
  expect(errorOf(await report('Bearer x')).slice(0, 2)).toEqual([429, 'RATE_LIMITED'])
  expect((await report(basic(id, secret))).status).toBe(200)
})

test('counts the wrong secrets of a device from all addresses together, including those to register again', async () => {
  const server = await app.startAnother({ elapsed: () => 0, env: { MUSTER_TRUSTED_PROXIES: '127.0.0.1' } })
  onTestFinished(server.close)
  const { code } = await registrationClient(server).newCode()
  const body = { code, hardwareId: 'guessed' }
  const { deviceId, secret } = (await post(server, 'register', body)).body
  let address = 0
  const register = async (authorization: string) => {
    const headers = { authorization, 'x-forwarded-for': `192.0.2.${++address}` }
    const init = { method: 'POST', headers, body: JSON.stringify(body) }
    return (await fetch(`${server.url}/devices/v1/register`, init)).status
  }
  for (let time = 0; time < 20; time++) expect(await register(basic(deviceId, 'wrong'))).toBe(409)
  expect(await register(basic(deviceId, 'wrong'))).toBe(429)
  expect((await post(server, 'report', {}, basic(deviceId, 'wrong'))).status).toBe(429)
  expect(await register(basic('80:00:00:00:00:00:00:01', 'wrong'))).toBe(409)
  expect(await register(basic(deviceId, secret))).toBe(200)
})

test('charges an address by the length of a request without credentials', async () => {
  clock.now += 60_000
  const send = async (length: number) => {
    const body = JSON.stringify({ query: `{ login { id } } # ${'x'.repeat(length)}` })
    const headers = { 'content-type': 'application/json', accept: 'application/graphql-response+json' }
    const response = await fetch(`${app.url}/graphql/v1`, { method: 'POST', body, headers })
    return [response.status, response.headers.get('ratelimit')]
  }
  expect(await send(1)).toEqual([401, '"address";r=99;t=1'])
  expect(await send(50_000)).toEqual([401, '"address";r=48;t=1'])
  // The balance is -453 points, and five points are refilled per second.
  expect(await send(500_000)).toEqual([401, '"address";r=0;t=91'])
  expect(await send(1)).toEqual([429, '"address";r=0;t=91'])
  clock.now += 200_000
})

test('reports the points of the address in responses to requests that cost nothing', async () => {
  clock.now += 60_000
  const tooLarge = (bytes: number) => ({
    method: 'POST',
    body: 'x'.repeat(bytes + 1),
    headers: { 'content-type': 'application/json' },
  })
  const requests: [path: string, status: number, init?: RequestInit][] = [
    ['/graphql/v1/nothing', 404],
    ['/rest/v1/nothing', 404],
    ['/devices/v1/nothing', 404],
    ['/rest/v1/devices/%zz', 400],
    ['/graphql/v1', 413, tooLarge(limits.requestBodyBytes)],
    ['/devices/v1/report', 413, tooLarge(limits.deviceBodyBytes)],
  ]
  for (const [path, status, init] of requests) {
    const response = await fetch(`${app.url}${path}`, init)
    expect([path, response.status, response.headers.get('ratelimit-policy')]).toEqual([
      path,
      status,
      '"address";q=100;w=20',
    ])
    expect(response.headers.get('ratelimit')).toMatch(/^"address";r=\d+;t=1$/)
  }
  expect((await fetch(`${app.url}/healthz`)).headers.get('ratelimit')).toBeNull()
})
