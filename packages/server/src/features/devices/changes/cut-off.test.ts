import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import pg from 'pg'
import { pino } from 'pino'
import { afterAll, beforeAll, beforeEach, expect, inject, onTestFinished, test, vi } from 'vitest'
import { rotate } from '../../../../test/api/device-registration.ts'
import { registerDevice } from '../../../../test/clients/mqtt-device.ts'
import { startDatabaseProxy } from '../../../../test/database/database-proxy.ts'
import { atDatabase } from '../../../../test/global-setup.ts'
import { startTestApp, type TestApp } from '../../../../test/harness/app.ts'
import { createDatabase, createPool, type Database } from '../../../db/database.ts'
import { openNotifications } from '../../../db/notifications.ts'
import { type ShownSecret, watchCutOffs } from './cut-off.ts'
import { hashDeviceSecret } from './device-secret.ts'

let app: TestApp
let connection: pg.ClientConfig
beforeAll(async () => {
  app = await startTestApp()
  const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(app.db)
  connection = atDatabase(inject('testDatabase').connection, rows[0]!.name)
})
afterAll(() => app.close())

const wait = { timeout: 60_000 }

let signedOn: ShownSecret[]
let cutOff: ShownSecret[]
let said: string[]
beforeEach(() => {
  signedOn = []
  cutOff = []
  said = []
})

/** A device that is connected from now on. */
async function connect(): Promise<ShownSecret> {
  const { id, secret } = await registerDevice(app.owner)
  const shown = { deviceId: id, secretHash: hashDeviceSecret(secret) }
  signedOn.push(shown)
  return shown
}

interface Ways {
  db?: Database
  connection?: pg.ClientConfig
}

function watch({ db = app.db, connection: own = connection }: Ways): void {
  const log = pino({ level: 'debug' }, { write: (line: string) => void said.push(JSON.parse(line).msg) })
  const notifications = openNotifications({ connection: own, log })
  const watched = watchCutOffs({
    db,
    notifications,
    log,
    sessions: { all: () => signedOn, ofDevice: (id) => signedOn.filter(({ deviceId }) => deviceId === id) },
    onCutOff: (session) => void cutOff.push(session),
  })
  onTestFinished(async () => {
    await watched.close()
    await notifications.close()
  })
}

const untilSaid = (message: string) => vi.waitFor(() => expect(said).toContain(message), wait)

/** Nobody reads devices until it is over. What is done by its client meanwhile is seen then. */
async function holdDevices(): Promise<{ client: pg.Client; untilWaitedFor(): Promise<void> }> {
  const client = new pg.Client(connection)
  await client.connect()
  onTestFinished(() => client.end())
  await client.query('begin')
  await client.query('lock table device in access exclusive mode')
  const waiting = async () => {
    // Copies of one template have the same numbers.
    const { rows } = await client.query(`
      select from pg_locks l join pg_database d on d.oid = l.database
      where d.datname = current_database() and l.relation = 'device'::regclass and not l.granted`)
    return rows.length
  }
  return {
    client,
    untilWaitedFor: () => vi.waitFor(async () => expect(await waiting()).toBeGreaterThan(0), wait),
  }
}

test('what may have been missed is looked for anew after a check that was under way', async () => {
  const gate = await startDatabaseProxy(connection)
  await connect()
  gate.close()
  const { client, untilWaitedFor } = await holdDevices()
  watch({ connection: { connectionString: gate.url } })
  await untilWaitedFor()
  // The check that waits does not know of this one.
  const late = { deviceId: '80:00:00:00:00:00:00:01', secretHash: Buffer.alloc(32) }
  signedOn.push(late)
  gate.open()
  await untilSaid('receiving notifications from the database again')
  // What is not heard of yet is looked for each second: by now it is.
  await sleep(1_500)
  await client.query('commit')
  await vi.waitFor(() => expect(cutOff).toEqual([late]), wait)
})

test('a check that fails is made again, though notices are heard', async () => {
  const gate = await startDatabaseProxy(connection)
  gate.close()
  const db = createDatabase(
    createPool({ connection: { connectionString: gate.url }, size: 1, statementTimeout: 30_000 }),
  )
  onTestFinished(() => db.destroy())
  const device = await connect()
  await app.owner.data(rotate, { id: device.deviceId })
  watch({ db })
  await untilSaid('the secrets of connected devices cannot be checked')
  await sleep(1_500)
  gate.open()
  await vi.waitFor(() => expect(cutOff).toContain(device), wait)
})

test('of many that are told of at once those are cut off whose secrets hold no more', async () => {
  const devices = await Promise.all(Array.from({ length: 20 }, connect))
  watch({})
  await app.owner.data('mutation ($id: [String!]!) { deleteDevices(deviceId: $id, force: true) }', {
    id: devices.slice(0, 10).map(({ deviceId }) => deviceId),
  })
  await vi.waitFor(() => expect(new Set(cutOff)).toEqual(new Set(devices.slice(0, 10))), wait)
})
