import { once } from 'node:events'
import { readFile, rename, writeFile } from 'node:fs/promises'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { startTestApp, type TestApp } from '../../../server/test/harness/app.ts'
import { openAgentDesk, type SeenDevice, until } from './machine.ts'
import { muster } from '../harness/muster.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp({ mqtt: true })
})
afterAll(() => app.close())

const isActive = ({ state }: SeenDevice): boolean => state === 'active'

const quiet = 'interval = 1s\n[services]\nfind = no\npoll = 1s\n'

test('rejects an invalid code with an explanation and stores nothing', async () => {
  const desk = await openAgentDesk(app)
  expect(await desk.register('mistyped')).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/unknown registration code[\s\S]*muster codes create/),
  })
  const code = await desk.newCode()
  await desk.register(code, '--state', join(desk.folder, 'other'), '--hardware-id', 'other')
  expect(await desk.register(code)).toMatchObject({ code: 2, stderr: expect.stringContaining('limit of devices') })
  await expect(desk.kept()).rejects.toThrow('ENOENT')
  expect(await desk.devices()).toHaveLength(1)
})

test('requires the secret or the owner to register an existing hardware id again', async () => {
  const desk = await openAgentDesk(app)
  const code = await desk.newCode(5)
  const first = await desk.register(code, '--state', join(desk.folder, 'lost'))
  expect(first.code).toBe(0)
  expect(await desk.register(code)).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/does not have its secret[\s\S]*rotateDeviceSecret[\s\S]*--hardware-id/),
  })
  const { id } = await desk.device()
  await desk.user.data('mutation ($id: String!) { rotateDeviceSecret(deviceId: $id, allow: true) { secret } }', { id })
  expect(await desk.register(code)).toMatchObject({ code: 0, stderr: '' })
  expect((await desk.kept()).deviceId).toBe(id)
})

test('reports missing settings and exits without a retry', async () => {
  const desk = await openAgentDesk(app)
  const unnamed = await (await desk.run(quiet)).done
  expect(unnamed).toMatchObject({
    code: 2,
    stdout: expect.stringContaining('not registered, and no server URL is set'),
  })
  const codeless = await (await desk.run(quiet, '--url', app.url)).done
  expect(codeless).toMatchObject({ code: 2, stdout: expect.stringContaining('no registration code is set') })
  const status = await desk.status()
  expect([status.code, status.stderr]).toEqual([1, expect.stringContaining('not registered')])
})

test('registers automatically with a code, and rejects a second agent with the same folder', async () => {
  const desk = await openAgentDesk(app)
  const given = ['--url', app.url, '--code', await desk.newCode()]
  await desk.run(quiet, ...given)
  await desk.deviceWhere(isActive)
  const second = await (await desk.run(quiet, ...given)).done
  expect(second).toMatchObject({ code: 2, stdout: expect.stringContaining('another agent is running') })
  const { stdout } = await until(async () => {
    const status = await desk.status()
    return status.code === 0 && status
  })
  expect(JSON.parse(stdout)).toMatchObject({ running: true, connected: true })
  expect(stdout).not.toContain((await desk.kept()).secret)
})

test('reports a rotated secret, and uses a new registration', async () => {
  const desk = await openAgentDesk(app)
  const code = await desk.newCode()
  await desk.register(code)
  const agent = await desk.run(quiet)
  const { id } = await desk.deviceWhere(isActive)
  await desk.user.data('mutation ($id: String!) { rotateDeviceSecret(deviceId: $id, allow: true) { secret } }', { id })
  await until(() => agent.stdout().includes("rejected this device's secret"))
  const status = await desk.status()
  expect([status.code, JSON.parse(status.stdout)]).toEqual([
    1,
    expect.objectContaining({
      connected: false,
      problem: expect.stringContaining('the secret was rotated or the device was deleted'),
    }),
  ])
  expect(await desk.register(code)).toMatchObject({ code: 0, stdout: expect.stringContaining('Registered again') })
  await until(async () => JSON.parse((await desk.status()).stdout).connected)
  expect((await desk.devices()).map((device) => device.id)).toEqual([id])
})

test('rejects the identity of a copied machine', async () => {
  const desk = await openAgentDesk(app)
  await desk.register(await desk.newCode())
  const file = join(desk.state, 'device.json')
  const device = JSON.parse(await readFile(file, 'utf8'))
  await writeFile(file, JSON.stringify({ ...device, hardwareId: 'f'.repeat(32) }))
  const agent = await desk.run(quiet)
  if (device.hardwareIdFrom === 'made-up') {
    // A machine without a machine id cannot be compared.
    await desk.deviceWhere(isActive)
  } else {
    const { code, stdout } = await agent.done
    expect([code, stdout]).toEqual([2, expect.stringMatching(/not the one that was registered[\s\S]*--new/)])
  }
})

test('reports the latest values after an outage of the server', async () => {
  const desk = await openAgentDesk(app)
  await desk.register(await desk.newCode())
  const line = await startLine(Number(new URL(app.url).port))
  const [value, looks] = [await desk.write('value', 'one'), join(desk.folder, 'looks')]
  const says = async (text: string): Promise<void> => {
    await writeFile(`${value}.new`, text)
    await rename(`${value}.new`, value)
    const before = (await readFile(looks, 'utf8')).length
    await until(async () => (await readFile(looks, 'utf8')).length >= before + 4)
  }
  const config = `${quiet}[attributes]\nnote = command echo x >> ${looks}; cat ${value}\n`
  const agent = await desk.run(config, '--broker', `ws://127.0.0.1:${line.port}/mqtt`)
  await desk.deviceWhere(({ attributes }) => attributes.note === 'one')
  line.cut()
  await until(() => agent.stdout().includes('the connection was lost'))
  await says('two')
  await says('three')
  line.restore()
  await desk.deviceWhere(({ attributes }) => attributes.note === 'three')
  const { events } = (await desk.user.data('{ login { events(size: 100) { items { type data } } } }')).login
  expect(JSON.stringify(events)).not.toContain('"two"')
  expect(agent.stdout()).not.toMatch(/error/)
})

test('uses less than 70 MB', async () => {
  const desk = await openAgentDesk(app)
  await desk.register(await desk.newCode())
  const agent = await desk.run(`${quiet}[status]\nA = uptime\nB = disk /\nC = load\nD = command echo x\n`)
  await desk.deviceWhere(({ attributes }) => attributes.$svc?.statusD === 'x')
  const status = await readFile(`/proc/${agent.child.pid}/status`, 'utf8')
  expect(Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1])).toBeLessThan(70_000)
})

test('distinguishes an unreachable server from another program', async () => {
  const desk = await openAgentDesk(app)
  const register = (url: string) => muster(['agent', 'register', '--url', url, '--code', 'x', '--state', desk.state])
  expect(await register('http://127.0.0.1:1')).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/cannot reach/),
  })
  expect(await register(`${app.url}/graphql/v1`)).toMatchObject({ code: 2, stderr: expect.stringMatching(/server/) })
  expect(await register('127.0.0.1:4000')).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/http:\/\/ or https/),
  })
})

/** A proxy to the server that can be interrupted. It keeps its port while interrupted, so that no other program listens there. */
async function startLine(target: number): Promise<{ port: number; cut(): void; restore(): void }> {
  const sockets = new Set<Socket>()
  let isCut = false
  const server = createServer((near) => {
    if (isCut) return near.destroy()
    const far = connect(target, '127.0.0.1')
    for (const socket of [near, far]) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => sockets.delete(socket))
    }
    near.pipe(far).pipe(near)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const cut = (): void => {
    isCut = true
    for (const socket of sockets) socket.destroy()
  }
  onTestFinished(() => {
    cut()
    server.close()
  })
  return {
    port: (server.address() as AddressInfo).port,
    cut,
    restore() {
      isCut = false
    },
  }
}
