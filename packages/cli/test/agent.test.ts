import { once } from 'node:events'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { startTestApp, type TestApp } from '../../server/test/app.ts'
import { modeOf, openAgentDesk, until } from './agent-desk.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp({ mqtt: true, env: { MUSTER_PRESENCE_HOLD: '0' } })
})
afterAll(() => app.close())

const portOf = (server: Server): number => (server.address() as AddressInfo).port

async function listen(port = 0): Promise<Server> {
  const server = createServer((socket) => socket.destroy())
  await once(server.listen(port, '127.0.0.1'), 'listening')
  onTestFinished(() => void server.close())
  return server
}

const stop = (server: Server): Promise<void> => new Promise((resolve) => server.close(() => resolve()))

/** A configuration that reports a service at this port, and none of those that this machine happens to have. */
const config = (port: number, more = ''): string =>
  `interval = 1s\n[services]\npoll = 1s\nfind = no\nintranet = http:${port}\n${more}`

test('a machine registers and is a device, with a service that comes and goes', async () => {
  const desk = await openAgentDesk(app)
  const code = await desk.newCode()
  const registered = await desk.register(code)
  expect(registered).toMatchObject({ code: 0, stderr: '' })
  const { deviceId, secret } = await desk.kept()
  expect(registered.stdout).toContain(deviceId)
  expect([await modeOf(desk.state), await modeOf(join(desk.state, 'device.json'))]).toEqual(['700', '600'])

  const server = await listen()
  const port = portOf(server)
  const agent = await desk.run(config(port))
  const isService = (state: string) => async () =>
    (await desk.device()).services.some((each) => each.name === 'intranet' && each.state === state)
  await until(isService('active'))
  expect(await desk.device()).toMatchObject({
    id: deviceId,
    state: 'active',
    name: hostname(),
    hardwareId: expect.stringMatching(/^[0-9a-f]{32}$/),
    services: [{ name: 'intranet', port, application: 7 }],
  })
  await stop(server)
  await until(isService('inactive'))
  await listen(port)
  await until(isService('active'))

  agent.child.kill('SIGTERM')
  const { code: exitCode, stdout, stderr } = await agent.done
  expect([exitCode, stderr]).toEqual([0, ''])
  await until(async () => (await desk.device()).state === 'inactive')
  for (const secretThing of [secret, code]) {
    expect(stdout).not.toContain(secretThing)
    expect(registered.stdout).not.toContain(secretThing)
  }
})

test('a restart is the same device, and remembers services that are gone', async () => {
  const desk = await openAgentDesk(app)
  await desk.register(await desk.newCode())
  const server = await listen()
  const port = portOf(server)
  const first = await desk.run(config(port))
  await until(async () => (await desk.device()).services[0]?.state === 'active')
  first.child.kill('SIGTERM')
  await first.done
  await stop(server)
  await until(async () => (await desk.device()).state === 'inactive')
  await desk.run(config(port))
  await until(async () => (await desk.device()).state === 'active')
  await until(async () => (await desk.device()).services[0]?.state === 'inactive')
  expect(await desk.devices()).toHaveLength(1)
})
