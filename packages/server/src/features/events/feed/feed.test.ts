import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import pg from 'pg'
import { pino } from 'pino'
import { describe, expect, it, onTestFinished } from 'vitest'
import { isCluster } from '../../../../test/cluster/cluster-databases.ts'
import { createTestDatabase, type TestDatabase } from '../../../../test/database/test-database.ts'
import { openNotifications } from '../../../db/notifications.ts'
import { createFeed, type Feed, type FeedBatch } from './feed.ts'
import type { FeedEvent } from './feed-event.ts'

const log = pino({ level: 'silent' })

async function openDatabase(): Promise<TestDatabase> {
  const database = await createTestDatabase()
  onTestFinished(() => database.drop())
  return database
}

interface Follower {
  feed: Feed
  received: FeedEvent[]
  batches: FeedBatch[]
}

function follow(database: TestDatabase, canBeCluster = isCluster): Follower {
  const notifications = openNotifications({ ...database, log })
  onTestFinished(() => notifications.close())
  const feed = createFeed({ ...database, notifications, log, isCluster: canBeCluster })
  onTestFinished(() => feed.close())
  const received: FeedEvent[] = []
  const batches: FeedBatch[] = []
  feed.subscribe((batch) => {
    batches.push(batch)
    received.push(...batch.events)
  })
  return { feed, received, batches }
}

function expectContiguous({ batches }: Follower): void {
  expect(batches.slice(1).map(({ after }) => after)).toEqual(batches.slice(0, -1).map(({ upTo }) => upTo))
  const isWithin = ({ after, upTo, events }: FeedBatch): boolean =>
    events.every(({ id }) => BigInt(id) > after && BigInt(id) <= upTo)
  expect(batches.filter((batch) => !isWithin(batch))).toEqual([])
}

async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await sleep(5)
}

async function connect({ connection }: TestDatabase): Promise<pg.Client> {
  const client = new pg.Client(connection)
  client.on('error', () => {})
  await client.connect()
  onTestFinished(() => client.end())
  return client
}

const insert = (device: string, count = 1): string =>
  `insert into event (account_id, type, device_id, targets, data)
   select 'account', 'DEVICE_UPDATE', '${device}', '[]', jsonb_build_object('n', n) from generate_series(1, ${count}) n`

/** Writes like the server: locks the device's row first to keep events in the order of the changes. */
async function writeChanges(client: pg.Client, device: number, times: number): Promise<void> {
  for (let time = 0; time < times; time++) {
    const isRolledBack = Math.random() < 0.2
    const delay = Math.random() < 0.1 ? 0.03 : 0
    await client.query('begin')
    const { rows } = await client.query('update counter set value = value + 1 where device = $1 returning value', [
      device,
    ])
    if (delay > 0) await client.query(`select pg_sleep(${delay})`)
    await client.query(
      `insert into event (account_id, type, device_id, targets, data) values ('account', 'DEVICE_UPDATE', $1, '[]', $2)`,
      [String(device), { value: rows[0].value }],
    )
    if (delay > 0) await client.query(`select pg_sleep(${delay})`)
    await client.query(isRolledBack ? 'rollback' : 'commit')
  }
}

const DEVICES = 8

async function prepareCounters({ db }: TestDatabase): Promise<void> {
  await sql`create table counter (device int primary key, value int not null)`.execute(db)
  await sql`insert into counter select n, 0 from generate_series(0, ${sql.lit(DEVICES - 1)}) n`.execute(db)
}

describe('the event feed', () => {
  it('delivers each event once, in order, despite concurrent writers, delays, and rollbacks', async () => {
    const database = await openDatabase()
    await prepareCounters(database)
    const followers = [follow(database), follow(database)]
    await until(() => followers.every(({ feed }) => feed.position !== undefined))
    const clients = await Promise.all(Array.from({ length: 24 }, () => connect(database)))
    await Promise.all(
      clients.map(async (client, index) => {
        await writeChanges(client, index % DEVICES, 60)
        followers[index % 2]?.feed.wake()
      }),
    )
    const { rows } = await sql<{ id: string }>`select id::text from event order by event.id`.execute(database.db)
    for (const follower of followers) {
      const { received } = follower
      await until(() => received.length >= rows.length)
      expectContiguous(follower)
      expect(received.map(({ id }) => id)).toEqual(rows.map(({ id }) => id))
      for (const events of Map.groupBy(received, ({ deviceId }) => deviceId).values()) {
        expect(events.map(({ data }) => data.value)).toEqual(events.map((_, index) => index + 1))
      }
    }
  })

  it('delivers events if the settings specify a cluster but the database has no citus extension', async () => {
    const database = await openDatabase()
    const { feed, received } = follow(database, true)
    await until(() => feed.position !== undefined)
    await sql.raw(insert('1', 3)).execute(database.db)
    await until(() => received.length === 3)
  })

  it('delivers each event once if transactions also change people, whom a cluster stores on every node', async () => {
    const database = await openDatabase()
    const accounts = Array.from({ length: 6 }, (_, index) => `account-${index}`)
    for (const id of accounts) {
      await sql`insert into person (id, email) values (${id}, ${id})`.execute(database.db)
      await sql`insert into account (id, email, founder_id) values (${id}, ${id}, ${id})`.execute(database.db)
    }
    const follower = follow(database)
    await until(() => follower.feed.position !== undefined)
    const clients = await Promise.all(accounts.map(() => connect(database)))
    await Promise.all(
      clients.map(async (client, index) => {
        for (let time = 0; time < 40; time++) {
          await client.query('begin')
          await client.query('update account set name = $2 where id = $1', [accounts[index], String(time)])
          if (time % 3 === 0)
            await client.query('update person set name = $2 where id = $1', [accounts[index], String(time)])
          await client.query(`insert into event (account_id, type, targets) values ($1, 'ACCOUNT_UPDATE', '[]')`, [
            accounts[index],
          ])
          await client.query('commit')
          follower.feed.wake()
        }
      }),
    )
    const { rows } = await sql<{ id: string }>`select id::text from event order by event.id`.execute(database.db)
    expect(rows).toHaveLength(240)
    await until(() => follower.received.length >= rows.length)
    expectContiguous(follower)
    expect(follower.received.map(({ id }) => id)).toEqual(rows.map(({ id }) => id))
  })

  it('waits for a long transaction, reports the lag, and catches up', async () => {
    const database = await openDatabase()
    const { feed, received } = follow(database)
    await feed.readNow()
    const slow = await connect(database)
    await slow.query('begin')
    await slow.query(insert('slow'))
    await database.db.executeQuery(sql.raw(insert('quick', 3_000)).compile(database.db))
    feed.wake()
    await until(() => feed.lag().events === 3_001 && feed.lag().seconds > 0.1)
    expect(received).toEqual([])
    await slow.query('commit')
    await until(() => received.length >= 3_001)
    expect(received.map(({ deviceId }) => deviceId)).toEqual(['slow', ...Array(3_000).fill('quick')])
    await until(() => feed.lag().seconds === 0 && feed.lag().events === 0)
  })

  it('delivers events that were written before the feed found its starting position', async () => {
    const database = await openDatabase()
    const slow = await connect(database)
    await slow.query('begin')
    await slow.query('select pg_current_xact_id()')
    const { feed, received } = follow(database)
    await feed.readNow()
    expect(feed.position).toBe(undefined)
    await database.db.executeQuery(sql.raw(insert('a')).compile(database.db))
    await feed.readNow()
    await slow.query('commit')
    await until(() => received.length === 1)
  })

  it('reads when other processes wake it, and also without being woken', async () => {
    const database = await openDatabase()
    const [one, other] = [follow(database), follow(database)]
    await Promise.all([one.feed.readNow(), other.feed.readNow()])
    await database.db.executeQuery(sql.raw(insert('a')).compile(database.db))
    one.feed.wake()
    await until(() => one.received.length === 1 && other.received.length === 1)
    await database.db.executeQuery(sql.raw(insert('b')).compile(database.db))
    await until(() => one.received.length === 2 && other.received.length === 2)
  })

  it('delivers events while the connection for notifications is broken, and reconnects', async () => {
    const database = await openDatabase()
    const [one, other] = [follow(database), follow(database)]
    await Promise.all([one.feed.readNow(), other.feed.readNow()])
    const listeners = async (): Promise<number> => {
      const { rows } = await sql<{ pid: number }>`
        select pid from pg_stat_activity
        where datname = current_database() and application_name = 'muster notifications' and query <> ''`.execute(
        database.db,
      )
      return rows.length
    }
    await until(async () => (await listeners()) === 2)
    await sql`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name = 'muster notifications'`.execute(database.db)
    await database.db.executeQuery(sql.raw(insert('a')).compile(database.db))
    one.feed.wake()
    await until(() => one.received.length === 1 && other.received.length === 1)
    await until(async () => (await listeners()) === 2)
  })

  it('delivers only events that are written after it has started', async () => {
    const database = await openDatabase()
    await database.db.executeQuery(sql.raw(insert('before', 10)).compile(database.db))
    const follower = follow(database)
    const { feed, received } = follower
    expect(await feed.readNow()).toBe(10n)
    // Wait, because transactions in other databases can also delay the position.
    await until(() => feed.position === 10n)
    await database.db.executeQuery(sql.raw(insert('after', 2_500)).compile(database.db))
    await until(() => received.length === 2_500)
    const positions: bigint[] = []
    const end = feed.onAdvance((position) => positions.push(position))
    await database.db.executeQuery(sql.raw(insert('after')).compile(database.db))
    await until(() => positions.length > 0)
    end()
    await database.db.executeQuery(sql.raw(insert('after')).compile(database.db))
    await until(() => feed.position === 2_512n)
    expect(positions).toEqual([2_511n])
    expectContiguous(follower)
  })

  it('delivers large events in batches of limited size', async () => {
    const database = await openDatabase()
    const follower = follow(database)
    const { feed, received, batches } = follower
    await feed.readNow()
    const write = async (count: number, bytes: number): Promise<void> => {
      await sql`insert into event (account_id, type, targets, data)
        select 'account', 'DEVICE_UPDATE', '[]', jsonb_build_object('filling', repeat('x', ${bytes}::int))
        from generate_series(1, ${count}::int)`.execute(database.db)
      feed.wake()
    }
    await write(100, 100_000)
    await write(1, 3_000_000)
    await write(2_000, 10)
    await until(() => received.length === 2_101)
    expectContiguous(follower)
    expect(received.map(({ id }) => Number(id))).toEqual(Array.from({ length: 2_101 }, (_, index) => index + 1))
    const bytesOf = ({ data }: FeedEvent): number => String(data.filling).length
    // The event with which the size of a batch exceeds 2 MiB is the last event of the batch.
    const before = batches.map(({ events }) => events.slice(0, -1).reduce((sum, event) => sum + bytesOf(event), 0))
    expect(Math.max(...before)).toBeLessThan(2 * 1024 * 1024)
  })

  it('requires a column default that assigns a transaction ID before an event ID', async () => {
    const { db } = await openDatabase()
    const { rows } = await sql<{ default: string }>`
      select pg_get_expr(adbin, adrelid) as default from pg_attrdef join pg_attribute
      on attrelid = adrelid and attnum = adnum where attname = 'id' and adrelid in
      (select inhrelid from pg_inherits where inhparent = 'event'::regclass union select 'event'::regclass)`.execute(db)
    expect(rows.length).toBeGreaterThan(1)
    for (const row of rows) expect(row.default).toMatch(/pg_current_xact_id\(\).*nextval/s)
  })
})
