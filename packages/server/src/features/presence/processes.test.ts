import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { createTestDatabase } from '../../../test/database.ts'
import { happening, type RegisteredDevice, signOn } from '../../../test/mqtt-device.ts'
import { readCredentials, type ServerProcess, sendAs, startServerProcess } from '../../../test/server-process.ts'

let start: () => Promise<ServerProcess>
/** Asks whichever server is there. */
let ask: (server: ServerProcess, document: string) => Promise<{ data: unknown }>

beforeEach(async () => {
  const { connection, drop } = await createTestDatabase()
  onTestFinished(drop)
  const folder = await mkdtemp(join(tmpdir(), 'muster-presence-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const env = {
    DATABASE_URL: urlOf(connection),
    MUSTER_DATA: folder,
    MUSTER_MASTER_KEY: randomBytes(32).toString('base64'),
    MUSTER_PRESENCE_HOLD: '1',
  }
  start = () => startServerProcess(env)
  ask = async (server, document) => (await sendAs(await readCredentials(folder), server.url, document)).body
})

function urlOf({ connectionString, host, port, user, database }: pg.ClientConfig): string {
  const bySocket = `postgresql:///${database}?host=${encodeURIComponent(host ?? '')}&port=${port}&user=${user}`
  return connectionString ?? bySocket
}

async function register(server: ServerProcess): Promise<RegisteredDevice> {
  const { data } = await ask(server, 'mutation { registerDevice(name: "gateway") { device { id } secret } }')
  const { device, secret } = (data as { registerDevice: { device: { id: string }; secret: string } }).registerDevice
  return { id: device.id, secret }
}

async function states(server: ServerProcess, { id }: RegisteredDevice): Promise<{ state: string; events: string[] }> {
  const { data } = await ask(
    server,
    `{ login { device(id: ["${id}"]) { state events(types: [DEVICE_STATE]) { items { state } } } } }`,
  )
  const [device] = (data as { login: { device: { state: string; events: { items: { state: string }[] } }[] } }).login
    .device
  return { state: device!.state, events: device!.events.items.map(({ state }) => state) }
}

const mqttOf = ({ url }: ServerProcess): string => `${url.replace('http', 'ws')}/mqtt`

const until = (server: ServerProcess, device: RegisteredDevice, expected: { state: string; events: string[] }) =>
  vi.waitFor(async () => expect(await states(server, device)).toEqual(expected), { timeout: 60_000, interval: 200 })

test('when a process is killed, another one makes its devices inactive, those aside that are with it by then', async () => {
  const [first, second] = [await start(), await start()]
  const [lost, moved] = [await register(first), await register(first)]
  await signOn(mqttOf(first), lost)
  await signOn(mqttOf(first), moved)
  await until(second, lost, { state: 'active', events: ['active'] })
  await until(second, moved, { state: 'active', events: ['active'] })
  await first.stop('SIGKILL')
  await signOn(mqttOf(second), moved)
  await until(second, lost, { state: 'inactive', events: ['inactive', 'active'] })
  expect(await states(second, moved)).toEqual({ state: 'active', events: ['active'] })
})

test('the next start makes devices of a killed process inactive', async () => {
  const first = await start()
  const device = await register(first)
  await signOn(mqttOf(first), device)
  await until(first, device, { state: 'active', events: ['active'] })
  await first.stop('SIGKILL')
  const next = await start()
  await until(next, device, { state: 'inactive', events: ['inactive', 'active'] })
})

test('a sign-on at another process takes over at once, and closes the connection to the first', async () => {
  const [first, second] = [await start(), await start()]
  const device = await register(first)
  const before = await signOn(mqttOf(first), device)
  await until(first, device, { state: 'active', events: ['active'] })
  const closed = happening(before, 'close')
  await signOn(mqttOf(second), device)
  await closed
  await sleep(2_500)
  expect(await states(second, device)).toEqual({ state: 'active', events: ['active'] })
})

test('a process that stood still for longer than its lease takes back what nobody has by then, and nothing else', async () => {
  const [first, second] = [await start(), await start()]
  const [kept, moved] = [await register(first), await register(first)]
  await signOn(mqttOf(first), kept)
  await signOn(mqttOf(first), moved)
  await until(second, kept, { state: 'active', events: ['active'] })
  await until(second, moved, { state: 'active', events: ['active'] })
  first.signal('SIGSTOP')
  onTestFinished(() => first.signal('SIGCONT'))
  await signOn(mqttOf(second), moved)
  await until(second, kept, { state: 'inactive', events: ['inactive', 'active'] })
  first.signal('SIGCONT')
  await until(second, kept, { state: 'active', events: ['active', 'inactive', 'active'] })
  await sleep(2_500)
  expect(await states(second, moved)).toEqual({ state: 'active', events: ['active'] })
})
