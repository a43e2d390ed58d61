import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import type pg from 'pg'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { pollUntil } from '../../../test/api/webhooks.ts'
import { startBalancer } from '../../../test/database/balancer.ts'
import { type PrimaryAndStandby, startPrimaryAndStandby } from '../../../test/database/standby.ts'
import { startTestApp } from '../../../test/harness/app.ts'
import {
  failToStart,
  readCredentials,
  type ServerProcess,
  sendAs,
  startServerProcess,
} from '../../../test/harness/server-process.ts'
import { unlimited } from '../../../test/harness/unlimited.ts'
import { openDatabase } from '../open-database.ts'
import { openReplica, readSystem } from './open-replica.ts'
import { createReadRouter, type ReadPlace, type ReadRouter } from './read-router.ts'

let pair: PrimaryAndStandby
let server: ServerProcess
let folder: string
let credentials: Record<string, string>
const ends: (() => Promise<void>)[] = []
beforeAll(async () => {
  pair = await startPrimaryAndStandby()
  folder = await mkdtemp(join(tmpdir(), 'muster-read-router-'))
  const env = { ...unlimited, MUSTER_DATA: folder, DATABASE_URL: pair.url, DATABASE_READ_URL: pair.standbyUrl }
  server = await startServerProcess(env, (end) => ends.push(end))
  credentials = await readCredentials(folder)
})
afterAll(async () => {
  for (const end of ends) await end()
  await pair.close()
  await rm(folder, { recursive: true, force: true })
})

async function query(document: string) {
  const { status, body } = await sendAs(credentials, server.url, document)
  expect([status, body.errors]).toEqual([200, undefined])
  return body.data
}

async function listDevices(): Promise<{ total: number; names: Record<string, string> }> {
  const { devices } = (await query('{ login { devices(size: 1000) { total items { id name } } } }')).login
  return {
    total: devices.total,
    names: Object.fromEntries(devices.items.map(({ id, name }: { id: string; name: string }) => [id, name])),
  }
}

async function register(name: string): Promise<string> {
  const { device } = (await query(`mutation { registerDevice(name: "${name}") { device { id } } }`)).registerDevice
  return device.id
}

async function rename(id: string, name: string): Promise<void> {
  const { updateDevice } = await query(`mutation { updateDevice(deviceId: "${id}", name: "${name}") { id name } }`)
  // The server must never read the result of a mutation from the standby.
  expect(updateDevice).toEqual({ id, name })
}

async function readsFrom(place: ReadPlace): Promise<number> {
  const text = await (await fetch(`${server.url}/metrics`)).text()
  return Number(new RegExp(`^muster_list_reads_total\\{.*place="${place}".*\\} (\\d+)$`, 'm').exec(text)?.[1] ?? 0)
}

const readsFromPrimary = async (): Promise<number> => (await readsFrom('lagging')) + (await readsFrom('away'))

async function listUntilReadFrom(place: ReadPlace): Promise<void> {
  const before = await readsFrom(place)
  await pollUntil(
    async () => {
      await listDevices()
      return readsFrom(place)
    },
    (count) => count > before,
  )
}

describe('a server with DATABASE_READ_URL', () => {
  it('reads lists from the standby', async () => {
    await listUntilReadFrom('replica')
    const [row] = await pair.onStandby<{ count: string }>(
      `select count(*) from pg_stat_activity where application_name = 'muster' and query like '%from device%'`,
    )
    expect(Number(row!.count)).toBeGreaterThan(0)
  })

  it('records a download link on the primary', async () => {
    await listUntilReadFrom('replica')
    const { login } = await query('{ login { eventsUrl devices { items { id } } } }')
    expect(login.eventsUrl).toContain('/events/v1.csv?link=')
    const events = await query('{ login { events(types: DOWNLOAD_LINK_CREATE) { items { data } } } }')
    expect(events.login.events.items).toMatchObject([{ data: { links: 1 } }])
  })

  it('shows a client its own changes while the standby replays WAL', async () => {
    const id = await register('follows')
    const { total } = await listDevices()
    for (let round = 1; round <= 30; round++) {
      await rename(id, `follows ${round}`)
      const { names, total: now } = await listDevices()
      expect(names[id]).toBe(`follows ${round}`)
      expect(now).toBe(total)
    }
    await listUntilReadFrom('replica')
    expect((await listDevices()).names[id]).toBe('follows 30')
  })

  it('reads every change from the primary while replay is paused on the standby', async () => {
    const id = await register('stands')
    await listUntilReadFrom('replica')
    await pair.onStandby('select pg_wal_replay_pause()')
    try {
      const before = await readsFromPrimary()
      for (let round = 1; round <= 5; round++) {
        await rename(id, `stands ${round}`)
        expect((await listDevices()).names[id]).toBe(`stands ${round}`)
      }
      expect(await readsFromPrimary()).toBe(before + 5)
    } finally {
      await pair.onStandby('select pg_wal_replay_resume()')
    }
    await listUntilReadFrom('replica')
    expect((await listDevices()).names[id]).toBe('stands 5')
  })

  it('reads from the primary while the standby is stopped, and from the standby after it restarts', async () => {
    const id = await register('stays')
    await listUntilReadFrom('replica')
    await pair.stopStandby()
    try {
      for (let round = 1; round <= 5; round++) {
        await rename(id, `stays ${round}`)
        expect((await listDevices()).names[id]).toBe(`stays ${round}`)
      }
      await listUntilReadFrom('away')
    } finally {
      await pair.startStandby()
    }
    await listUntilReadFrom('replica')
    expect((await listDevices()).names[id]).toBe('stays 5')
    expect(server.stderr()).toContain('lists are read from the primary')
  })
})

it('repeats the entire query on the primary if the standby fails', async () => {
  const closed = openDatabase({ connection: {}, size: 1, statementTimeout: 0 }, pino({ level: 'silent' }))
  await closed.destroy()
  let chosen = 0
  const failures: unknown[] = []
  const readRouter: ReadRouter = {
    choose: async () => {
      chosen++
      return closed
    },
    failed: (db, error) => failures.push([db === closed, error]),
    close: async () => {},
  }
  const app = await startTestApp({ readRouter })
  try {
    await app.owner.data('mutation { registerDevice(name: "one") { device { id services { id } } } }')
    await app.owner.data('{ login { id name } }')
    expect(chosen).toBe(0)
    const { login } = await app.owner.data('{ login { id devices { total items { name services { name } } } } }')
    expect(login.devices).toMatchObject({ total: 1, items: [{ name: 'one' }] })
    expect(chosen).toBe(1)
    expect(failures).toEqual([[true, expect.any(Error)]])
  } finally {
    await app.close()
  }
})

it('rejects DATABASE_READ_URL without DATABASE_URL, and DATABASE_URLS without MUSTER_CLUSTER', async () => {
  const { code, stderr } = await failToStart({ MUSTER_DATA: join(folder, 'none'), DATABASE_READ_URL: pair.standbyUrl })
  expect([code, stderr]).toEqual([1, expect.stringContaining('DATABASE_READ_URL requires DATABASE_URL')])
  const workers = await failToStart({
    MUSTER_DATA: join(folder, 'none'),
    DATABASE_URL: pair.url,
    DATABASE_URLS: pair.url,
  })
  expect([workers.code, workers.stderr]).toEqual([1, expect.stringContaining('DATABASE_URLS requires MUSTER_CLUSTER')])
})

describe('a DATABASE_READ_URL that the server cannot use', () => {
  async function loggedReason(url: string): Promise<string> {
    const logged = Promise.withResolvers<string>()
    const log = pino({ level: 'warn' }, { write: (line: string) => logged.resolve(JSON.parse(line).reason) })
    const open = (connectionString: string) => ({ connection: { connectionString }, size: 2, statementTimeout: 0 })
    const primary = openDatabase(open(pair.url), log)
    const readRouter = createReadRouter({
      primary,
      openPool: (check) => openDatabase({ ...open(url), check }, log),
      log,
    })
    try {
      const reason = await logged.promise
      expect(await readRouter.choose('account')).toBeUndefined()
      return reason
    } finally {
      await readRouter.close()
      await primary.destroy()
    }
  }

  it('is ignored if it does not lead to a standby', async () => {
    expect(await loggedReason(pair.url)).toContain('the server in DATABASE_READ_URL is not a standby')
  })

  it('is ignored if it cannot be reached', async () => {
    expect(await loggedReason('postgresql://muster@127.0.0.1:9/muster')).toContain('ECONNREFUSED')
  })

  it('causes an error if its connections reach different servers', async () => {
    const balancer = await startBalancer([pair.standbyUrl, pair.url])
    const log = pino({ level: 'silent' })
    const { at } = balancer
    const primary = openDatabase({ connection: { connectionString: pair.url }, size: 2, statementTimeout: 0 }, log)
    const replica = await openReplica(primary, (check) =>
      openDatabase({ connection: { ...at, database: 'muster' }, size: 2, statementTimeout: 0, check }, log),
    )
    try {
      // The first connection stays in use, so the second read opens another connection.
      await replica.db.connection().execute(async (held) => {
        expect((await readSystem(held)).isStandby).toBe(true)
        await expect(readSystem(replica.db)).rejects.toThrow(
          'the server at the address in DATABASE_READ_URL has changed or restarted',
        )
      })
    } finally {
      await replica.close()
      await primary.destroy()
      balancer.close()
    }
  })
})

it("reads the standby's position while lists use all of its connections", async () => {
  const log = pino({ level: 'silent' })
  const open = (url: string, size: number) => ({ connection: { connectionString: url }, size, statementTimeout: 0 })
  const primary = openDatabase(open(pair.url, 2), log)
  const replica = await openReplica(primary, (check, size = 1) =>
    openDatabase({ ...open(pair.standbyUrl, size), check }, log),
  )
  try {
    await replica.db.connection().execute(async () => {
      expect(await replica.replayed()).toBeGreaterThan(0n)
    })
  } finally {
    await replica.close()
    await primary.destroy()
  }
})

it('reads from the standby again if a query failed while the standby was being checked', async () => {
  const balancer = await startBalancer([pair.standbyUrl])
  const log = pino({ level: 'silent' })
  const open = (connection: pg.ClientConfig) => ({ connection, size: 2, statementTimeout: 0 })
  const primary = openDatabase(open({ connectionString: pair.url }), log)
  const at = { ...balancer.at, database: 'muster' }
  const readRouter = createReadRouter({
    primary,
    openPool: (check) => openDatabase({ ...open(at), check }, log),
    log,
  })
  const choose = () => readRouter.choose('account')
  try {
    const chosen = await pollUntil(choose, (db) => db !== undefined)
    await pair.onStandby('select pg_wal_replay_pause()')
    await register('race')
    expect(await choose()).toBeUndefined()
    // Hold the response to a check of the standby's position until the standby has caught up and a query has failed.
    const release = await balancer.hold()
    await pair.onStandby('select pg_wal_replay_resume()')
    const { at: written } = (await sql<{ at: string }>`select pg_current_wal_lsn() as at`.execute(primary)).rows[0]!
    await pollUntil(
      () => pair.onStandby<{ isReached: boolean }>(`select pg_last_wal_replay_lsn() >= '${written}' as "isReached"`),
      ([row]) => row!.isReached,
    )
    readRouter.failed(chosen!, new Error('canceled'))
    release()
    expect(await pollUntil(choose, (db) => db !== undefined)).not.toBe(chosen)
  } finally {
    await readRouter.close()
    await primary.destroy()
    balancer.close()
  }
})
