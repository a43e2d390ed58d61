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
/** Starts a server that has the database through this gate. */
let start: (gate: DatabaseProxy) => Promise<ServerProcess>
let ask: <Data>(server: ServerProcess, document: string) => Promise<Data>

beforeEach(async () => {
  database = await createTestDatabase()
  onTestFinished(database.drop)
  const folder = await mkdtemp(join(tmpdir(), 'muster-outage-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const MUSTER_MASTER_KEY = randomBytes(32).toString('base64')
  start = ({ url }) =>
    startServerProcess({ DATABASE_URL: url, MUSTER_DATA: folder, MUSTER_MASTER_KEY, MUSTER_PRESENCE_HOLD: '1' })
  ask = async (server, document) => {
    const { body } = await sendAs(await readCredentials(folder), server.url, document)
    if (body.errors !== undefined) throw new Error(JSON.stringify(body.errors))
    return body.data
  }
})

interface Connected extends RegisteredDevice {
  client: MqttClient
  /** Whether its connection has been closed since. */
  wasClosed: boolean
}

async function connectDevice(server: ServerProcess): Promise<Connected> {
  const { registerDevice } = await ask<{ registerDevice: { device: { id: string }; secret: string } }>(
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
  const [device] = (await ask<Found>(server, document)).login.device
  return { state: device!.state, events: device!.events.items.map(({ state }) => state).toReversed() }
}

const waiting = { timeout: 300_000, interval: 200 }

const untilState = (server: ServerProcess, device: RegisteredDevice, state: string) =>
  vi.waitFor(async () => expect(await find(server, device)).toMatchObject({ state }), waiting)

/** States that the events of a device tell, oldest first, the last being the one it has. */
const untilEvents = (server: ServerProcess, device: RegisteredDevice, events: string[]) =>
  vi.waitFor(async () => expect(await find(server, device)).toEqual({ state: events.at(-1), events }), waiting)

/** There are as many leases, all of them good: none is left that could still be ended. */
const untilSettled = (count: number) =>
  vi.waitFor(async () => {
    const { rows } = await sql<{ total: number; valid: number }>`
        select count(*)::int as total, (count(*) filter (where expires > clock_timestamp()))::int as valid
        from server_process`.execute(database.db)
    expect(rows).toEqual([{ total: count, valid: count }])
  }, waiting)

/** Until the leases taken before have run out, as the database sees it. */
const untilLeasesRunOut = () =>
  vi.waitFor(async () => {
    const { rows } = await sql`select from server_process where expires > clock_timestamp()`.execute(database.db)
    expect(rows).toHaveLength(0)
  }, waiting)

// Servers start, and leases run out: on a slow machine that takes its time.
const patience = { timeout: 600_000 }

test(
  'after the database was away for longer than a lease, connected devices are active still and were all the time',
  patience,
  async () => {
    const gate = await startDatabaseProxy(database.connection)
    const [first, second] = [await start(gate), await start(gate)]
    const [staying, leaving] = [await connectDevice(first), await connectDevice(first)]
    const elsewhere = await connectDevice(second)
    gate.close()
    await leaving.client.endAsync()
    await untilLeasesRunOut()
    gate.open()
    await untilEvents(second, leaving, ['active', 'inactive'])
    await untilSettled(2)
    await untilEvents(second, staying, ['active'])
    await untilEvents(first, elsewhere, ['active'])
    expect([staying.wasClosed, elsewhere.wasClosed]).toEqual([false, false])

    await staying.client.publishAsync(`devices/${staying.id}/attributes`, '{"site": "oslo"}', { qos: 1 })
    await staying.client.endAsync()
    await untilEvents(second, staying, ['active', 'inactive'])
  },
)

test(
  'a process that has lost the database, by refusal or in silence, has its devices active again once it is back',
  patience,
  async () => {
    const gates = await Promise.all([0, 1, 2].map(() => startDatabaseProxy(database.connection)))
    const watching = await start(gates[0]!)
    const others = await Promise.all([start(gates[1]!), start(gates[2]!)])
    const devices = [await connectDevice(others[0]), await connectDevice(others[1])]
    gates[1]!.close()
    gates[2]!.freeze()
    for (const device of devices) await untilState(watching, device, 'inactive')
    for (const gate of gates) gate.open()
    for (const device of devices) await untilState(watching, device, 'active')
    await untilSettled(3)
    for (const device of devices) await untilState(watching, device, 'active')
    expect(devices.map(({ wasClosed }) => wasClosed)).toEqual([false, false])
  },
)
