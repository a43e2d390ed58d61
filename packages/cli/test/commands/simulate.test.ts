import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { Aedes } from 'aedes'
import { expect, onTestFinished, test } from 'vitest'
import { sharedTestApp, type TestApp, type TestUser } from '../../../server/test/harness/app.ts'
import { type CommandResult, credentialsOf, muster, startMuster, temporaryFolder } from '../harness/muster.ts'

const app = sharedTestApp({ mqtt: true, env: { MUSTER_PRESENCE_HOLD: '0' } })

interface Broker {
  url: string
  connections: [client: string, user: string, password: string][]
  published: { topic: string; payload: string; from: string }[]
  disconnectAll(): void
}

async function startBroker(): Promise<Broker> {
  const connections: Broker['connections'] = []
  const published: Broker['published'] = []
  const aedes = await Aedes.createBroker({
    authenticate(client, user, password, done) {
      connections.push([client.id, String(user), String(password)])
      done(null, true)
    },
  })
  aedes.on('publish', ({ topic, payload }, client) => {
    if (client !== null) published.push({ topic, payload: String(payload), from: client.id })
  })
  const server = createServer(aedes.handle)
  const sockets = new Set<{ destroy(): void }>()
  server.on('connection', (socket) => sockets.add(socket))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(async () => {
    server.close()
    await new Promise<void>((resolve) => aedes.close(() => resolve()))
  })
  const url = `mqtt://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { url, connections, published, disconnectAll: () => sockets.forEach((socket) => void socket.destroy()) }
}

interface SimulationUser {
  user: TestUser
  env: Record<string, string>
  simulate(...args: string[]): Promise<CommandResult>
  devices(): Promise<{ id: string; platform: string; hardwareId: string }[]>
}

async function createSimulationUser(): Promise<SimulationUser> {
  const user = await app.createUser()
  const folder = await temporaryFolder()
  const env = { MUSTER_CREDENTIALS: await folder.write('credentials', credentialsOf(app.url, user)) }
  return {
    user,
    env,
    simulate: (...args) => muster(['simulate', ...args], { env }),
    devices: async () =>
      (await user.data('{ login { devices(sort: "name") { items { id platform hardwareId } } } }')).login.devices.items,
  }
}

test('simulates devices that connect, report, disconnect, and reconnect, and prints statistics', async () => {
  const [simulation, broker] = [await createSimulationUser(), await startBroker()]
  const { code, stdout, stderr } = await simulation.simulate(
    ...['--devices', '6', '--for', '8s', '--every', '1s', '--drop-every', '1s', '--broker', broker.url, '--json'],
  )
  expect([code, stderr]).toEqual([0, ''])
  const counts = JSON.parse(stdout)
  expect(counts).toMatchObject({ devices: 6, connects: 6, failures: {} })
  expect(counts.drops).toBeGreaterThan(0)
  expect(counts.reconnects).toBe(broker.connections.length - 6)
  expect(counts.acks + counts.cutShort).toBe(counts.publishes)

  const devices = await simulation.devices()
  expect(devices).toHaveLength(6)
  expect(devices.every(({ platform }) => platform === 'muster-simulator')).toBe(true)
  const ids = new Set(devices.map(({ id }) => id))
  expect(broker.connections.every(([client, name]) => ids.has(client) && name === client)).toBe(true)
  // A device may disconnect before each of its reports, but at least one device reports.
  expect(broker.published.length).toBeGreaterThan(0)
  expect(broker.published.every(({ from }) => ids.has(from))).toBe(true)
  for (const { topic, payload, from } of broker.published) {
    expect(topic).toBe(`devices/${from}/attributes`)
    expect(JSON.parse(payload)).toEqual({ simulated: { load: expect.any(String), temperature: expect.any(String) } })
  }
})

test.each([
  ['MQTT', (server: TestApp) => ['--broker', `mqtt://127.0.0.1:${server.mqttPort}`]],
  ['a WebSocket', (server: TestApp) => ['--broker', `${server.url.replace('http', 'ws')}/mqtt`]],
  ['the default WebSocket', () => []],
])('connects and reports over %s', async (_way, brokerOf) => {
  const simulation = await createSimulationUser()
  const args = ['simulate', '--devices', '4', '--for', '1h', '--drop-every', '0', ...brokerOf(app), '--json']
  const { child, done } = startMuster(args, { env: simulation.env })
  const seen = async (): Promise<{ state: string; attributes: { simulated?: object } }[]> =>
    (await simulation.user.data('{ login { devices { items { state attributes } } } }')).login.devices.items
  const areActive = async (): Promise<boolean> => {
    const devices = await seen()
    return devices.filter(({ state, attributes }) => state === 'active' && attributes.simulated).length === 4
  }
  while (!(await areActive())) await sleep(100)
  child.kill('SIGINT')
  const { code, stdout } = await done
  const counts = JSON.parse(stdout)
  expect([code, counts]).toEqual([130, expect.objectContaining({ connects: 4, failures: {}, cutShort: 0 })])
  expect(counts.acks).toBe(counts.publishes)
  while ((await seen()).some(({ state }) => state === 'active')) await sleep(100)
})

test('waits if devices would register faster than the rate limit allows', async () => {
  const clock = { now: 0 }
  const limited = await app.startAnother({ elapsed: () => clock.now, env: { MUSTER_KEY_POINTS: '100' } })
  onTestFinished(() => limited.close())
  const [user, folder, broker] = [await app.createUser(), await temporaryFolder(), await startBroker()]
  const env = { MUSTER_CREDENTIALS: await folder.write('credentials', credentialsOf(limited.url, user)) }
  const simulating = muster(['simulate', '--devices', '110', '--for', '1s', '--broker', broker.url, '--json'], { env })
  const metrics = async () => (await fetch(`${limited.url}/metrics`)).text()
  await expect.poll(metrics).toMatch(/muster_rate_limited_total\{policy="code"\} [1-9]/)
  clock.now += 60_000
  const { code, stdout, stderr } = await simulating
  expect([code, stderr]).toEqual([0, ''])
  expect(JSON.parse(stdout)).toMatchObject({ devices: 110, connects: 110, failures: {} })
})

test('deletes the registration code, and removes the devices with --remove', async () => {
  const [simulation, broker] = [await createSimulationUser(), await startBroker()]
  const { code, stdout } = await simulation.simulate(
    '--devices',
    '3',
    '--for',
    '1s',
    '--broker',
    broker.url,
    '--remove',
  )
  expect([code, stdout]).toEqual([0, expect.stringMatching(/devices +3, 3 connected/)])
  expect(await simulation.devices()).toEqual([])
  expect((await simulation.user.data('{ login { registrationCodes { id } } }')).login.registrationCodes).toEqual([])
})

test('reuses the devices of earlier runs with --existing, and rotates their secrets', async () => {
  const [simulation, broker] = [await createSimulationUser(), await startBroker()]
  const short = ['--for', '1s', '--drop-every', '0', '--broker', broker.url]
  await simulation.simulate('--devices', '17', ...short)
  const before = await simulation.devices()
  expect((await simulation.simulate('--devices', '17', '--existing', ...short)).code).toBe(0)
  expect(await simulation.devices()).toEqual(before)
  const passwords = (id: string) =>
    broker.connections.filter(([client]) => client === id).map(([, , password]) => password)
  expect(before.map(({ id }) => new Set(passwords(id)).size)).toEqual(Array(17).fill(2))
  const { code, stderr } = await simulation.simulate('--devices', '18', '--existing', ...short)
  expect([code, stderr]).toEqual([
    1,
    expect.stringContaining('found only 17 devices of earlier simulations, but --devices is 18'),
  ])
})

test('reconnects all devices when the broker disconnects them', async () => {
  const [simulation, broker] = [await createSimulationUser(), await startBroker()]
  const args = ['simulate', '--devices', '5', '--for', '1h', '--drop-every', '0', '--broker', broker.url, '--json']
  const { child, done } = startMuster(args, { env: simulation.env })
  const reporting = (since: number): number => new Set(broker.published.slice(since).map(({ from }) => from)).size
  while (reporting(0) < 5) await sleep(20)
  broker.disconnectAll()
  const before = broker.published.length
  while (broker.connections.length < 10 || reporting(before) < 5) await sleep(20)
  child.kill('SIGINT')
  const counts = JSON.parse((await done).stdout)
  expect(counts).toMatchObject({ connects: 5, reconnects: 5 })
  expect(counts.failures['the connection was lost']).toBe(5)
})

test('ends on time even if some devices have not connected', async () => {
  const [simulation, broker] = [await createSimulationUser(), await startBroker()]
  const args = ['--devices', '30', '--rate', '1', '--for', '2s', '--drop-every', '0', '--broker', broker.url]
  const { code, stderr } = await simulation.simulate(...args)
  expect([code, stderr]).toEqual([
    1,
    expect.stringMatching(/(2[6-9]|30) of 30 devices never connected\s+The run ended/),
  ])
})

test('reports an unreachable broker', async () => {
  const simulation = await createSimulationUser()
  const { code, stdout, stderr } = await simulation.simulate(
    '--devices',
    '2',
    '--for',
    '3s',
    '--broker',
    'mqtt://127.0.0.1:1',
    '--remove',
  )
  expect([code, stdout, stderr]).toEqual([
    1,
    expect.stringMatching(/\d+ × ECONNREFUSED/),
    expect.stringMatching(/2 of 2 devices never connected[\s\S]*pass --broker/),
  ])
  expect(await simulation.devices()).toEqual([])
})

test.each([
  [
    ['--broker', 'mqtt://192.0.2.1'],
    2,
    /the broker is at 192\.0\.2\.1, which is not a loopback address[\s\S]*--allow-remote/,
  ],
  [['--devices', '0'], 2, /from 1 to 20000/],
  [['--for', '2d'], 2, /duration from 1s to 24h, such as 30s/],
  [['--broker', 'http://127.0.0.1'], 2, /mqtt:\/\/127\.0\.0\.1:1883/],
])('rejects %j', async (args, code, message) => {
  const simulation = await createSimulationUser()
  const result = await simulation.simulate(...args)
  expect([result.code, result.stderr]).toEqual([code, expect.stringMatching(message)])
  expect(await simulation.devices()).toEqual([])
})

test('after Ctrl-C, prints the statistics and, with --remove, removes the devices', async () => {
  const [simulation, broker] = [await createSimulationUser(), await startBroker()]
  const args = ['simulate', '--devices', '3', '--for', '1h', '--broker', broker.url, '--remove', '--json']
  const { child, done } = startMuster(args, { env: simulation.env })
  while (broker.connections.length < 3) await sleep(20)
  child.kill('SIGINT')
  const { code, stdout } = await done
  expect([code, JSON.parse(stdout).devices]).toEqual([130, 3])
  expect(await simulation.devices()).toEqual([])
})
