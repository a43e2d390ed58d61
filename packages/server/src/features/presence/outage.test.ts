import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import type { MqttClient } from 'mqtt'
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { connectMqtt, type RegisteredDevice } from '../../../test/clients/mqtt-device.ts'
import { type DatabaseProxy, startDatabaseProxy } from '../../../test/database/database-proxy.ts'
import { createTestDatabase, type TestDatabase } from '../../../test/database/test-database.ts'
import {
  readCredentials,
  type ServerProcess,
  sendAs,
  startServerProcess,
} from '../../../test/harness/server-process.ts'

let database: TestDatabase
let start: (proxy: DatabaseProxy) => Promise<ServerProcess>
let query: <Data>(server: ServerProcess, document: string) => Promise<Data>

beforeEach(async () => {
  database = await createTestDatabase()
  onTestFinished(database.drop)
  const folder = await mkdtemp(join(tmpdir(), 'muster-outage-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const MUSTER_MASTER_KEY = randomBytes(32).toString('base64')
  start = ({ url }) =>
    startServerProcess({ DATABASE_URL: url, MUSTER_DATA: folder, MUSTER_MASTER_KEY, MUSTER_PRESENCE_HOLD: '1' })
  query = async (server, document) => {
    const { body } = await sendAs(await readCredentials(folder), server.url, document)
    if (body.errors !== undefined) throw new Error(JSON.stringify(body.errors))
    return body.data
  }
})

interface Connected extends RegisteredDevice {
  client: MqttClient
  /** Whether the connection was closed after it had been established. */
  wasClosed: boolean
}

async function connectDevice(server: ServerProcess): Promise<Connected> {
  const { registerDevice } = await query<{ registerDevice: { device: { id: string }; secret: string } }>(
    server,
    'mutation { registerDevice(name: "gateway") { device { id } secret } }',
  )
  const device = { id: registerDevice.device.id, secret: registerDevice.secret }
  const client = await connectMqtt(`${server.url.replace('http', 'ws')}/mqtt`, device)
  const connected = { ...device, client, wasClosed: false }
  client.once('close', () => {
    connected.wasClosed = true
  })
  await untilEvents(server, connected, ['active'])
  return connected
}

interface Found {
  login: { device: { state: string; events: { items: { state: string }[] } }[] }
}

async function find(server: ServerProcess, { id }: RegisteredDevice): Promise<{ state: string; events: string[] }> {
  const document = `{ login { device(id: ["${id}"]) { state events(types: [DEVICE_STATE]) { items { state } } } } }`
  const [device] = (await query<Found>(server, document)).login.device
  return { state: device!.state, events: device!.events.items.map(({ state }) => state).toReversed() }
}

const waiting = { timeout: 300_000, interval: 200 }

const untilState = (server: ServerProcess, device: RegisteredDevice, state: string) =>
  vi.waitFor(async () => expect(await find(server, device)).toMatchObject({ state }), waiting)

const untilEvents = (server: ServerProcess, device: RegisteredDevice, events: string[]) =>
  vi.waitFor(async () => expect(await find(server, device)).toEqual({ state: events.at(-1), events }), waiting)

/** Waits until exactly `count` leases exist, all of them valid. All expired leases have then been removed. */
const untilLeasesValid = (count: number) =>
  vi.waitFor(async () => {
    const { rows } = await sql<{ total: number; valid: number }>`
        select count(*)::int as total, (count(*) filter (where expires > clock_timestamp()))::int as valid
        from server_process`.execute(database.db)
    expect(rows).toEqual([{ total: count, valid: count }])
  }, waiting)

const untilLeasesExpire = () =>
  vi.waitFor(async () => {
    const { rows } = await sql`select from server_process where expires > clock_timestamp()`.execute(database.db)
    expect(rows).toHaveLength(0)
  }, waiting)

// Starting servers and waiting until leases expire can take minutes on a slow machine.
const slow = { timeout: 600_000 }

test(
  'keeps connected devices active without state events while the database is unavailable for longer than a lease',
  slow,
  async () => {
    const proxy = await startDatabaseProxy(database.connection)
    const [first, second] = [await start(proxy), await start(proxy)]
    const [connected, disconnecting] = [await connectDevice(first), await connectDevice(first)]
    const onSecond = await connectDevice(second)
    proxy.close()
    await disconnecting.client.endAsync()
    await untilLeasesExpire()
    proxy.open()
    await untilEvents(second, disconnecting, ['active', 'inactive'])
    await untilLeasesValid(2)
    await untilEvents(second, connected, ['active'])
    await untilEvents(first, onSecond, ['active'])
    expect([connected.wasClosed, onSecond.wasClosed]).toEqual([false, false])

    await connected.client.publishAsync(`devices/${connected.id}/attributes`, '{"site": "oslo"}', { qos: 1 })
    await connected.client.endAsync()
    await untilEvents(second, connected, ['active', 'inactive'])
  },
)

test(
  'reactivates devices when a process reconnects after its database connections were closed or frozen',
  slow,
  async () => {
    const proxies = await Promise.all([0, 1, 2].map(() => startDatabaseProxy(database.connection)))
    const watching = await start(proxies[0]!)
    const others = await Promise.all([start(proxies[1]!), start(proxies[2]!)])
    const devices = [await connectDevice(others[0]), await connectDevice(others[1])]
    proxies[1]!.close()
    proxies[2]!.freeze()
    for (const device of devices) await untilState(watching, device, 'inactive')
    for (const proxy of proxies) proxy.open()
    for (const device of devices) await untilState(watching, device, 'active')
    await untilLeasesValid(3)
    for (const device of devices) await untilState(watching, device, 'active')
    expect(devices.map(({ wasClosed }) => wasClosed)).toEqual([false, false])
  },
)
