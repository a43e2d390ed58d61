import { once } from 'node:events'
import { readFile, rename, writeFile } from 'node:fs/promises'
import { createServer as createHttpServer, request } from 'node:http'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { sharedTestApp } from '../../../server/test/harness/app.ts'
import { muster } from '../harness/muster.ts'
import { openAgentMachine, type ReportedDevice, until } from './machine.ts'

const app = sharedTestApp({ mqtt: true })

const isActive = ({ state }: ReportedDevice): boolean => state === 'active'

const quiet = 'interval = 1s\n[services]\nfind = no\npoll = 1s\n'

test('explains why a code is invalid, and stores nothing', async () => {
  const machine = await openAgentMachine(app)
  expect(await machine.register('mistyped')).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/unknown registration code[\s\S]*muster codes create/),
  })
  const code = await machine.newCode()
  await machine.register(code, '--state', join(machine.folder, 'other'), '--hardware-id', 'other')
  expect(await machine.register(code)).toMatchObject({ code: 2, stderr: expect.stringContaining('device limit') })
  await expect(machine.storedIdentity()).rejects.toThrow('ENOENT')
  expect(await machine.devices()).toHaveLength(1)
})

test("requires the secret or the owner's permission to register a hardware ID again", async () => {
  const machine = await openAgentMachine(app)
  const code = await machine.newCode(5)
  const first = await machine.register(code, '--state', join(machine.folder, 'lost'))
  expect(first.code).toBe(0)
  expect(await machine.register(code)).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(
      /did not send the device's current secret[\s\S]*rotateDeviceSecret[\s\S]*--hardware-id/,
    ),
  })
  const { id } = await machine.device()
  await machine.user.data('mutation ($id: String!) { rotateDeviceSecret(deviceId: $id, allow: true) { secret } }', {
    id,
  })
  expect(await machine.register(code)).toMatchObject({ code: 0, stderr: '' })
  expect((await machine.storedIdentity()).deviceId).toBe(id)
})

test('reports missing settings, and exits without retrying', async () => {
  const machine = await openAgentMachine(app)
  const withoutUrl = await (await machine.run(quiet)).done
  expect(withoutUrl).toMatchObject({
    code: 2,
    stdout: expect.stringContaining('not registered, and no server URL is set'),
  })
  const withoutCode = await (await machine.run(quiet, '--url', app.url)).done
  expect(withoutCode).toMatchObject({ code: 2, stdout: expect.stringContaining('no registration code is set') })
  const status = await machine.status()
  expect([status.code, status.stderr]).toEqual([1, expect.stringContaining('no registration found')])
})

test('registers automatically with a code, and rejects a second agent that uses the same folder', async () => {
  const machine = await openAgentMachine(app)
  const given = ['--url', app.url, '--code', await machine.newCode()]
  await machine.run(quiet, ...given)
  await machine.deviceWhere(isActive)
  const second = await (await machine.run(quiet, ...given)).done
  expect(second).toMatchObject({ code: 2, stdout: expect.stringContaining('another agent is running') })
  const { stdout } = await until(async () => {
    const status = await machine.status()
    return status.code === 0 && status
  })
  expect(JSON.parse(stdout)).toMatchObject({ running: true, connected: true })
  expect(stdout).not.toContain((await machine.storedIdentity()).secret)
})

test('retries the registration while a proxy responds instead of the server', async () => {
  const machine = await openAgentMachine(app)
  const gateway = await startGateway(app.url)
  const agent = await machine.run(
    quiet,
    ...['--url', gateway.url, '--code', await machine.newCode(), '--broker', `${app.url.replace('http', 'ws')}/mqtt`],
  )
  await agent.waitForOutput('stdout', /retrying.*HTTP 502/)
  gateway.restore()
  await machine.deviceWhere(isActive)
  expect(agent.stdout().match(/HTTP 502/g)).toHaveLength(1)
})

test('reports a rejected secret, and reconnects after the device registers again', async () => {
  const machine = await openAgentMachine(app)
  const code = await machine.newCode()
  await machine.register(code)
  const agent = await machine.run(quiet)
  const { id } = await machine.deviceWhere(isActive)
  await machine.user.data('mutation ($id: String!) { rotateDeviceSecret(deviceId: $id, allow: true) { secret } }', {
    id,
  })
  await until(() => agent.stdout().includes("rejected this device's secret"))
  await until(() => agent.stdout().includes(`run muster agent register --url ${app.url} --code CODE`))
  const status = await machine.status()
  expect([status.code, JSON.parse(status.stdout)]).toEqual([
    1,
    expect.objectContaining({
      connected: false,
      problem: expect.stringContaining('the secret was rotated, the device was deleted, or'),
    }),
  ])
  expect(await machine.register(code)).toMatchObject({ code: 0, stdout: expect.stringContaining('Registered again') })
  await until(async () => JSON.parse((await machine.status()).stdout).connected)
  expect((await machine.devices()).map((device) => device.id)).toEqual([id])
})

test('rejects the identity of another machine on a copied disk if the agent can identify this machine', async () => {
  const machine = await openAgentMachine(app)
  await machine.register(await machine.newCode())
  const file = join(machine.state, 'device.json')
  const device = JSON.parse(await readFile(file, 'utf8'))
  await writeFile(file, JSON.stringify({ ...device, hardwareId: 'f'.repeat(32) }))
  const agent = await machine.run(quiet)
  if (device.hardwareIdFrom === 'made-up') {
    // With neither a machine ID nor a product UUID, the agent cannot detect that it runs on a different machine.
    await machine.deviceWhere(isActive)
  } else {
    const { code, stdout } = await agent.done
    expect([code, stdout]).toEqual([2, expect.stringMatching(/that of the registered device[\s\S]*--new --url http/)])
  }
})

test("exits without retrying if the file with the device's secret is damaged", async () => {
  const machine = await openAgentMachine(app)
  await machine.register(await machine.newCode())
  await writeFile(join(machine.state, 'device.json'), '{')
  const { code, stdout } = await (await machine.run(quiet)).done
  expect([code, stdout]).toEqual([2, expect.stringContaining('device.json does not contain valid data')])
})

test('reports only the latest values after a server outage', async () => {
  const machine = await openAgentMachine(app)
  await machine.register(await machine.newCode())
  const proxy = await startProxy(Number(new URL(app.url).port))
  const [value, runs] = [await machine.write('value', 'one'), join(machine.folder, 'runs')]
  const setValue = async (text: string): Promise<void> => {
    await writeFile(`${value}.new`, text)
    await rename(`${value}.new`, value)
    const before = (await readFile(runs, 'utf8')).length
    await until(async () => (await readFile(runs, 'utf8')).length >= before + 4)
  }
  const config = `${quiet}[attributes]\nnote = command echo x >> ${runs}; cat ${value}\n`
  const agent = await machine.run(config, '--broker', `ws://127.0.0.1:${proxy.port}/mqtt`)
  await machine.deviceWhere(({ attributes }) => attributes.note === 'one')
  proxy.cut()
  await until(() => agent.stdout().includes('the connection to the server was lost'))
  await setValue('two')
  await setValue('three')
  proxy.restore()
  await machine.deviceWhere(({ attributes }) => attributes.note === 'three')
  const { events } = (await machine.user.data('{ login { events(size: 100) { items { type data } } } }')).login
  expect(JSON.stringify(events)).not.toContain('"two"')
  expect(agent.stdout()).not.toMatch(/error/)
})

test('reports why a session ended, if the broker rejects a subscription', async () => {
  const machine = await openAgentMachine(app)
  await machine.register(await machine.newCode())
  const port = await startRejectingBroker()
  const agent = await machine.run(quiet, '--broker', `mqtt://127.0.0.1:${port}`)
  await agent.waitForOutput('stdout', /the connection to the server was lost; reconnecting .*reason="Subscribe error: /)
  await until(async () => JSON.parse((await machine.status()).stdout).problem?.includes('Subscribe error: '))
})

test('uses less than 70,000 KiB of memory', async () => {
  const machine = await openAgentMachine(app)
  await machine.register(await machine.newCode())
  const agent = await machine.run(`${quiet}[status]\nA = uptime\nB = disk /\nC = load\nD = command echo x\n`)
  await machine.deviceWhere(({ attributes }) => attributes.$svc?.statusD === 'x')
  const status = await readFile(`/proc/${agent.child.pid}/status`, 'utf8')
  expect(Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1])).toBeLessThan(70_000)
})

test('distinguishes an unreachable server from a wrong URL', async () => {
  const machine = await openAgentMachine(app)
  const register = (url: string) => muster(['agent', 'register', '--url', url, '--code', 'x', '--state', machine.state])
  expect(await register('http://127.0.0.1:1')).toMatchObject({
    code: 6,
    stderr: expect.stringMatching(/cannot reach/),
  })
  expect(await register(`${app.url}/graphql/v1`)).toMatchObject({ code: 2, stderr: expect.stringMatching(/server/) })
  expect(await register('127.0.0.1:4000')).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/scheme http or https/),
  })
})

/** Starts a proxy that responds with an HTML page and status 502 until `restore` is called. */
async function startGateway(target: string): Promise<{ url: string; restore(): void }> {
  let isDown = true
  const server = createHttpServer((incoming, response) => {
    if (isDown) {
      response.writeHead(502, { 'content-type': 'text/html' })
      return void response.end('<html><h1>502 Bad Gateway</h1></html>')
    }
    const { method, url, headers } = incoming
    const forwarded = request(target + url, { method, headers }, (upstream) => {
      response.writeHead(upstream.statusCode!, upstream.headers)
      upstream.pipe(response)
    })
    forwarded.on('error', () => response.destroy())
    incoming.pipe(forwarded)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void server.close().closeAllConnections())
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    restore() {
      isDown = false
    },
  }
}

/** Starts an MQTT broker that accepts every connection and rejects every subscription (MQTT 3.1.1 §3.9.3). */
async function startRejectingBroker(): Promise<number> {
  const [CONNECT, SUBSCRIBE] = [0x10, 0x82]
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('data', ([type, , ...packetId]: Buffer) => {
      if (type === CONNECT) socket.write(Buffer.from([0x20, 2, 0, 0]))
      if (type === SUBSCRIBE) socket.write(Buffer.from([0x90, 3, ...packetId.slice(0, 2), 0x80]))
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

/**
 * Starts a proxy to the port `target`. After `cut`, the proxy closes all connections until `restore` is called, but
 * keeps its port, so that no other program can listen on it.
 */
async function startProxy(target: number): Promise<{ port: number; cut(): void; restore(): void }> {
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
