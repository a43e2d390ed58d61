import { once } from 'node:events'
import { connect } from 'node:net'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/app.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp({ env: { MUSTER_BODY_BYTES_PER_ADDRESS: '3145728' } })
})
afterAll(() => app.close())

test('rejects large bodies of an address above its limit, and accepts small ones', async () => {
  const { hostname, port } = new URL(app.url)
  const head =
    'POST /graphql/v1 HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 1048576\r\n\r\n'
  const open = async () => {
    const socket = connect({ host: hostname, port: Number(port) })
    onTestFinished(() => void socket.destroy())
    await once(socket, 'connect')
    socket.write(head)
    return socket
  }
  const post = async () =>
    (await fetch(`${app.url}/graphql/v1`, { method: 'POST', body: ' '.repeat(1_048_000) })).status
  expect(await post()).not.toBe(429)
  const sockets = await Promise.all([open(), open(), open()])
  await vi.waitFor(async () => expect(await post()).toBe(429), { timeout: 60_000 })
  const refused = await open()
  const [answer] = await once(refused, 'data')
  expect(String(answer)).toMatch(/^HTTP\/1\.1 429 .*retry-after: [123].*RATE_LIMITED/is)
  expect((await app.owner.query('{ login { id } }')).status).toBe(200)
  for (const socket of sockets) socket.destroy()
  await vi.waitFor(async () => expect(await post()).not.toBe(429), { timeout: 60_000 })
})

test('rejects a compressed body with 415 on every route', async () => {
  for (const path of ['/graphql/v1', '/rest/v1/devices', '/devices/v1/report', '/auth/sign-in']) {
    const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' }
    const refused = await fetch(`${app.url}${path}`, { method: 'POST', body: 'x', headers })
    expect([path, refused.status]).toEqual([path, 415])
    expect(await refused.text()).toContain('without Content-Encoding')
  }
})
