import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { connectMqtt, nextEvent, type RegisteredDevice } from '../../../test/clients/mqtt-device.ts'
import { createTestDatabase } from '../../../test/database/test-database.ts'
import {
  readCredentials,
  type ServerProcess,
  sendAs,
  startServerProcess,
} from '../../../test/harness/server-process.ts'

type AtEnd = (end: () => Promise<void>) => void

interface Site {
  connection: pg.ClientConfig
  start(atEnd: AtEnd): Promise<ServerProcess>
  query(server: ServerProcess, document: string): Promise<{ data: unknown }>
}

async function createSite(atEnd: AtEnd): Promise<Site> {
  const { connection, url, drop } = await createTestDatabase()
  atEnd(drop)
  const folder = await mkdtemp(join(tmpdir(), 'muster-presence-'))
  atEnd(() => rm(folder, { recursive: true }))
  const env = {
    DATABASE_URL: url,
    MUSTER_DATA: folder,
    MUSTER_MASTER_KEY: randomBytes(32).toString('base64'),
    MUSTER_PRESENCE_HOLD: '1',
  }
  return {
    connection,
    start: (until) => startServerProcess(env, until),
    query: async (server, document) => (await sendAs(await readCredentials(folder), server.url, document)).body,
  }
}

async function register(site: Site, server: ServerProcess): Promise<RegisteredDevice> {
  const { data } = await site.query(server, 'mutation { registerDevice(name: "gateway") { device { id } secret } }')
  const { device, secret } = (data as { registerDevice: { device: { id: string }; secret: string } }).registerDevice
  return { id: device.id, secret }
}

/** Returns the device's state, followed by the states of its events, newest first. */
async function states(site: Site, server: ServerProcess, { id }: RegisteredDevice): Promise<string[]> {
  const { data } = await site.query(
    server,
    `{ login { device(id: ["${id}"]) { state events(types: [DEVICE_STATE]) { items { state } } } } }`,
  )
  const [device] = (data as { login: { device: { state: string; events: { items: { state: string }[] } }[] } }).login
    .device
  return [device!.state, ...device!.events.items.map(({ state }) => state)]
}

const mqttOf = ({ url }: ServerProcess): string => `${url.replace('http', 'ws')}/mqtt`

const wait = { timeout: 100_000, interval: 200 }

const until = (site: Site, server: ServerProcess, device: RegisteredDevice, expected: string[]) =>
  vi.waitFor(async () => expect(await states(site, server, device)).toEqual(expected), wait)

interface LockedLeases {
  /** Waits until `count` processes hold `devices`. */
  heldBy(count: number, devices: RegisteredDevice[]): Promise<void>
  unlock(): Promise<void>
}

/**
 * Locks the leases of all processes. `endExpiredLeases` skips locked leases, so no process ends them until `unlock` is
 * called.
 */
async function lockLeases({ connection }: Site): Promise<LockedLeases> {
  const client = new pg.Client(connection)
  await client.connect()
  onTestFinished(() => client.end())
  await client.query('begin')
  await client.query('select id from server_process for key share')
  const countHolders = 'select count(distinct process_id)::int as holders from device_hold where device_id = any($1)'
  return {
    heldBy: (count, devices) =>
      vi.waitFor(async () => {
        const { rows } = await client.query(countHolders, [devices.map(({ id }) => id)])
        expect(rows).toEqual([{ holders: count }])
      }, wait),
    unlock: async () => void (await client.query('commit')),
  }
}

describe('two server processes', () => {
  let site: Site
  let first: ServerProcess
  let second: ServerProcess
  const ends: (() => Promise<void>)[] = []
  beforeAll(async () => {
    site = await createSite((end) => ends.push(end))
    first = await site.start((end) => ends.push(end))
    second = await site.start((end) => ends.push(end))
  }, 600_000)
  afterAll(async () => {
    for (const end of ends.reverse()) await end()
  })

  test("make a killed third process's devices inactive unless the devices have reconnected", async () => {
    const third = await site.start(onTestFinished)
    const [lost, moved] = [await register(site, third), await register(site, third)]
    await connectMqtt(mqttOf(third), lost)
    await connectMqtt(mqttOf(third), moved)
    await until(site, second, lost, ['active', 'active'])
    await until(site, second, moved, ['active', 'active'])
    const leases = await lockLeases(site)
    await third.stop('SIGKILL')
    await connectMqtt(mqttOf(second), moved)
    await leases.heldBy(2, [lost, moved])
    await leases.unlock()
    await until(site, second, lost, ['inactive', 'inactive', 'active'])
    expect(await states(site, second, moved)).toEqual(['active', 'active'])
  })

  test("make a killed third process's device inactive immediately if it is reported inactive after the lease expired", async () => {
    const third = await site.start(onTestFinished)
    const device = await register(site, third)
    await connectMqtt(mqttOf(third), device)
    await until(site, second, device, ['active', 'active'])
    const leases = await lockLeases(site)
    await third.stop('SIGKILL')
    // Until the lease expires, the server rejects the report.
    const report = `mutation { reportState(serviceId: "${device.id}", state: "inactive") }`
    await vi.waitFor(
      async () => expect(await site.query(second, report)).toEqual({ data: { reportState: true } }),
      wait,
    )
    expect(await states(site, second, device)).toEqual(['inactive', 'inactive', 'active'])
    await leases.unlock()
  })

  test('keep a device active when it connects to the other process, and close its first connection', async () => {
    const [device, other] = [await register(site, first), await register(site, first)]
    const before = await connectMqtt(mqttOf(first), device)
    const remaining = await connectMqtt(mqttOf(first), other)
    await until(site, first, device, ['active', 'active'])
    const closed = nextEvent(before, 'close')
    await connectMqtt(mqttOf(second), device)
    await closed
    // `other` disconnects after `device` has moved. By the time `other` is inactive, the first process would also have
    // made `device` inactive if it had still held `device`.
    remaining.end()
    await until(site, first, other, ['inactive', 'inactive', 'active'])
    expect(await states(site, second, device)).toEqual(['active', 'active'])
  })

  test('let a suspended process with an expired lease reclaim only devices that no other process holds', async () => {
    const [reclaimed, moved] = [await register(site, first), await register(site, first)]
    const connection = await connectMqtt(mqttOf(first), reclaimed)
    await connectMqtt(mqttOf(first), moved)
    await until(site, second, reclaimed, ['active', 'active'])
    await until(site, second, moved, ['active', 'active'])
    const leases = await lockLeases(site)
    first.signal('SIGSTOP')
    onTestFinished(() => first.signal('SIGCONT'))
    await connectMqtt(mqttOf(second), moved)
    await leases.heldBy(2, [reclaimed, moved])
    await leases.unlock()
    await until(site, second, reclaimed, ['inactive', 'inactive', 'active'])
    first.signal('SIGCONT')
    await until(site, second, reclaimed, ['active', 'active', 'inactive', 'active'])
    // By the time `reclaimed` is inactive again, a faulty first process would also have reclaimed `moved`.
    connection.end()
    await until(site, second, reclaimed, ['inactive', 'inactive', 'active', 'inactive', 'active'])
    expect(await states(site, second, moved)).toEqual(['active', 'active'])
  })
})

test("makes a killed process's devices inactive when the next process starts", async () => {
  const site = await createSite(onTestFinished)
  const first = await site.start(onTestFinished)
  const device = await register(site, first)
  await connectMqtt(mqttOf(first), device)
  await until(site, first, device, ['active', 'active'])
  await first.stop('SIGKILL')
  const next = await site.start(onTestFinished)
  await until(site, next, device, ['inactive', 'inactive', 'active'])
})
