import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import pg from 'pg'
import { pino } from 'pino'
import { beforeAll, beforeEach, expect, inject, onTestFinished, test, vi } from 'vitest'
import { rotate } from '../../../../test/api/device-registration.ts'
import { registerDevice } from '../../../../test/clients/mqtt-device.ts'
import { startDatabaseProxy } from '../../../../test/database/database-proxy.ts'
import { atDatabase } from '../../../../test/global-setup.ts'
import { sharedTestApp } from '../../../../test/harness/app.ts'
import { createDatabase, type Database } from '../../../db/database.ts'
import { openNotifications } from '../../../db/notifications.ts'
import { createPool } from '../../../db/pool/create-pool.ts'
import { hashDeviceSecret } from './device-secret.ts'
import { type PresentedSecret, watchCutOffs } from './recheck-connected-devices.ts'

const app = sharedTestApp()
let connection: pg.ClientConfig
beforeAll(async () => {
  const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(app.db)
  connection = atDatabase(inject('testDatabase').connection, rows[0]!.name)
})

const wait = { timeout: 60_000 }

let connected: PresentedSecret[]
let cutOff: PresentedSecret[]
let messages: string[]
beforeEach(() => {
  connected = []
  cutOff = []
  messages = []
})

async function connect(): Promise<PresentedSecret> {
  const { id, secret } = await registerDevice(app.owner)
  const device = { deviceId: id, secretHash: hashDeviceSecret(secret) }
  connected.push(device)
  return device
}

interface WatchOptions {
  db?: Database
  connection?: pg.ClientConfig
}

function watch({ db = app.db, connection: notificationConnection = connection }: WatchOptions): void {
  const log = pino({ level: 'debug' }, { write: (line: string) => void messages.push(JSON.parse(line).msg) })
  const notifications = openNotifications({ connection: notificationConnection, log })
  const watched = watchCutOffs({
    db,
    notifications,
    log,
    sessions: { all: () => connected, ofDevice: (id) => connected.filter(({ deviceId }) => deviceId === id) },
    onCutOff: (session) => void cutOff.push(session),
  })
  onTestFinished(async () => {
    await watched.close()
    await notifications.close()
  })
}

const untilLogged = (message: string) => vi.waitFor(() => expect(messages).toContain(message), wait)

/** Blocks reads of the device table until the returned client commits. */
async function lockDevices(): Promise<{ client: pg.Client; untilReaderWaits(): Promise<void> }> {
  const client = new pg.Client(connection)
  await client.connect()
  onTestFinished(() => client.end())
  await client.query('begin')
  await client.query('lock table device in access exclusive mode')
  const waiting = async () => {
    // Databases copied from one template share object IDs, so the query selects the lock by database name.
    const { rows } = await client.query(`
      select from pg_locks l join pg_database d on d.oid = l.database
      where d.datname = current_database() and l.relation = 'device'::regclass and not l.granted`)
    return rows.length
  }
  return {
    client,
    untilReaderWaits: () => vi.waitFor(async () => expect(await waiting()).toBeGreaterThan(0), wait),
  }
}

test('starts another check after a running check if notifications may have been lost', async () => {
  const proxy = await startDatabaseProxy(connection)
  await connect()
  proxy.close()
  const { client, untilReaderWaits } = await lockDevices()
  watch({ connection: { connectionString: proxy.url } })
  await untilReaderWaits()
  // This device connects too late for the waiting check, so only another check can find it.
  const late = { deviceId: '80:00:00:00:00:00:00:01', secretHash: Buffer.alloc(32) }
  connected.push(late)
  proxy.open()
  await untilLogged('receiving notifications from the database again')
  // A timer calls `check` every second, so it calls `check` during this wait, while the first check is still running.
  await sleep(1_500)
  await client.query('commit')
  await vi.waitFor(() => expect(cutOff).toEqual([late]), wait)
})

test('retries a failed check even if notifications still arrive', async () => {
  const proxy = await startDatabaseProxy(connection)
  proxy.close()
  const db = createDatabase(
    createPool({ connection: { connectionString: proxy.url }, size: 1, statementTimeout: 30_000 }),
  )
  onTestFinished(() => db.destroy())
  const device = await connect()
  await app.owner.data(rotate, { id: device.deviceId })
  watch({ db })
  await untilLogged('cannot check the secrets of connected devices; retrying')
  await sleep(1_500)
  proxy.open()
  await vi.waitFor(() => expect(cutOff).toContain(device), wait)
})

test('disconnects only the deleted devices when many notifications arrive', async () => {
  const devices = await Promise.all(Array.from({ length: 20 }, connect))
  watch({})
  await app.owner.data('mutation ($id: [String!]!) { deleteDevices(deviceId: $id, force: true) }', {
    id: devices.slice(0, 10).map(({ deviceId }) => deviceId),
  })
  await vi.waitFor(() => expect(new Set(cutOff)).toEqual(new Set(devices.slice(0, 10))), wait)
})
