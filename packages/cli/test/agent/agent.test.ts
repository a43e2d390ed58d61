import { once } from 'node:events'
import { createServer, type Server } from 'node:net'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { sharedTestApp } from '../../../server/test/harness/app.ts'
import { claimPorts } from '../../../server/test/harness/ports.ts'
import { modeOf, openAgentMachine, type ReportedDevice } from './machine.ts'

const app = sharedTestApp({ mqtt: true, env: { MUSTER_PRESENCE_HOLD: '0' } })

async function listen(port: number): Promise<Server> {
  const server = createServer((socket) => socket.destroy())
  await once(server.listen(port, '127.0.0.1'), 'listening')
  onTestFinished(() => void server.close())
  return server
}

const stop = (server: Server): Promise<void> => new Promise((resolve) => server.close(() => resolve()))

const config = (port: number, more = ''): string =>
  `interval = 1s\n[services]\npoll = 1s\nfind = no\nintranet = http:${port}\n${more}`

const isActive = ({ state }: ReportedDevice): boolean => state === 'active'
const isInactive = ({ state }: ReportedDevice): boolean => state === 'inactive'
const hasService = (state: string) => (device: ReportedDevice) =>
  device.services.some((each) => each.name === 'intranet' && each.state === state)

test('registers a machine as a device and reports when a service starts and stops', async () => {
  const machine = await openAgentMachine(app)
  const code = await machine.newCode()
  const registered = await machine.register(code)
  expect(registered).toMatchObject({ code: 0, stderr: '' })
  const { deviceId, secret } = await machine.storedIdentity()
  expect(registered.stdout).toContain(deviceId)
  expect([await modeOf(machine.state), await modeOf(join(machine.state, 'device.json'))]).toEqual(['700', '600'])

  const port = (await claimPorts(1))[0]!
  const server = await listen(port)
  const agent = await machine.run(config(port))
  expect(await machine.deviceWhere((device) => isActive(device) && hasService('active')(device))).toMatchObject({
    id: deviceId,
    name: hostname(),
    hardwareId: expect.stringMatching(/^[0-9a-f]{32}$/),
    services: [{ name: 'intranet', port, application: 7 }],
  })
  await stop(server)
  await machine.deviceWhere(hasService('inactive'))
  await listen(port)
  await machine.deviceWhere(hasService('active'))

  agent.child.kill('SIGTERM')
  const { code: exitCode, stdout, stderr } = await agent.done
  expect([exitCode, stderr]).toEqual([0, ''])
  await machine.deviceWhere(isInactive)
  for (const text of [secret, code]) {
    expect(stdout).not.toContain(text)
    expect(registered.stdout).not.toContain(text)
  }
})

test('keeps the device and its stopped services after a restart', async () => {
  const machine = await openAgentMachine(app)
  await machine.register(await machine.newCode())
  const port = (await claimPorts(1))[0]!
  const server = await listen(port)
  const first = await machine.run(config(port))
  await machine.deviceWhere(hasService('active'))
  first.child.kill('SIGTERM')
  await first.done
  await stop(server)
  await machine.deviceWhere(isInactive)
  await machine.run(config(port))
  await machine.deviceWhere((device) => isActive(device) && hasService('inactive')(device))
  expect(await machine.devices()).toHaveLength(1)
})
