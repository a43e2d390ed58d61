import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { OwnedObjects } from '../../test/access/owned-objects.ts'
import { restCallFor } from '../../test/api/rest-calls.ts'
import { restClient } from '../../test/clients/rest.ts'
import { startDatabaseProxy } from '../../test/database/database-proxy.ts'
import { createTestDatabase } from '../../test/database/test-database.ts'
import { seedDevices } from '../../test/factories/seed-devices.ts'
import { startTestApp } from '../../test/harness/app.ts'
import { readCredentials, startServerProcess } from '../../test/harness/server-process.ts'
import { routeName } from './route.ts'
import { routes } from './routes.ts'

/** `GET /needs` only checks the signature, and the server may still have the access key in memory. */
const withoutDatabase = ['GET /version', 'GET /application-types', 'GET /accounts/{id}', 'GET /needs']

test('without the database, responds with 503 and Retry-After on each permitted route that needs it', async () => {
  const database = await createTestDatabase()
  onTestFinished(database.drop)
  const folder = await mkdtemp(join(tmpdir(), 'muster-rest-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const proxy = await startDatabaseProxy(database.connection)
  const server = await startServerProcess({ DATABASE_URL: proxy.url, MUSTER_DATA: folder })
  const { MUSTER_ACCESS_KEY_ID: keyId = '', MUSTER_SECRET_ACCESS_KEY: secret = '' } = await readCredentials(folder)
  const rest = restClient(server.url, { keyId, secret })
  expect((await rest('GET', '/user')).status).toBe(200)

  proxy.close()
  const known = { webhookUrl: 'https://example.com/' } as OwnedObjects
  const ids = new Proxy(known, { get: (_, name: keyof OwnedObjects) => known[name] ?? '80:00:00:00:00:00:00:01' })
  for (const route of routes.filter((each) => !withoutDatabase.includes(routeName(each)))) {
    const { path, body } = restCallFor(route, ids)
    const response = await rest(route.method, path, { body })
    // The key cannot use some routes. The server rejects these requests without reading the database.
    if (route.method !== 'GET' && response.status === 403) continue
    const retryAfter = response.headers.get('retry-after')
    expect({ ...response, route: routeName(route), retryAfter }).toMatchObject({
      status: 503,
      code: 'UNAVAILABLE',
      retryAfter: expect.stringMatching(/^\d+$/),
    })
    expect(response.headers.get('deprecation')).not.toBeNull()
  }
  proxy.open()
  let response = await rest('GET', '/devices')
  while (response.status === 503) response = await rest('GET', '/devices')
  expect(response).toMatchObject({ status: 200, body: { items: [], total: 0 } })
})

test('rejects an address after many wrong signatures, except for keys that have worked from the address', async () => {
  const app = await startTestApp()
  onTestFinished(() => app.close())
  expect((await restClient(app.url, app.owner)('GET', '/user')).status).toBe(200)
  const wrong = restClient(app.url, { ...(await app.createUser()), secret: Buffer.alloc(32, 1).toString('base64') })
  let response = await wrong('GET', '/user')
  while (response.status === 401) response = await wrong('GET', '/user')
  expect(response).toMatchObject({ status: 429, code: 'RATE_LIMITED' })
  expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0)
  expect((await restClient(app.url, app.owner)('GET', '/user')).status).toBe(200)
})

test('returns an error instead of a response above the size limit, and advises the client to request less data', async () => {
  const app = await startTestApp()
  onTestFinished(() => app.close())
  const rest = restClient(app.url, app.owner)
  // With 60,000 bytes each, the devices together slightly exceed a response's size limit.
  const value = 'x'.repeat(15_000)
  const attributes = { a: value, b: value, c: value, d: value }
  const devices = Array.from({ length: 600 }, () => ({ attributes }))
  await seedDevices(app.db, app.owner.accountId, devices)
  expect(await rest('GET', '/devices?size=1000')).toMatchObject({
    status: 422,
    code: 'LIMIT_EXCEEDED',
    message: expect.stringContaining('request less data'),
  })
  expect((await rest('GET', '/devices?size=100')).body.items).toHaveLength(100)
})
