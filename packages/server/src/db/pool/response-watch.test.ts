import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { expect, it, onTestFinished } from 'vitest'
import { pollUntil } from '../../../test/api/webhooks.ts'
import { startDatabaseProxy } from '../../../test/database/database-proxy.ts'
import { createTestDatabase } from '../../../test/database/test-database.ts'
import { createDatabase } from '../database.ts'
import { isDatabaseUnavailable } from '../database-errors.ts'
import { createPool } from './create-pool.ts'

const failure = (result: Promise<unknown>): Promise<unknown> => result.catch((error: unknown) => error)

it('lets a slow statement continue, but fails all statements when the database stops responding', async () => {
  const database = await createTestDatabase()
  onTestFinished(() => database.drop())
  const proxy = await startDatabaseProxy(database.connection)
  const reported: boolean[] = []
  const changes = new EventTarget()
  const db = createDatabase(
    createPool({
      connection: { connectionString: proxy.url },
      size: 2,
      statementTimeout: 0,
      responseTimeout: 5_000,
      onUnresponsive(isUnresponsive) {
        reported.push(isUnresponsive)
        changes.dispatchEvent(new Event(isUnresponsive ? 'unresponsive' : 'responsive'))
      },
    }),
  )
  onTestFinished(() => db.destroy())

  const slow = await sql`select pg_sleep(3), 1 as one`.execute(db)
  expect(slow.rows).toMatchObject([{ one: 1 }])

  const unresponsive = once(changes, 'unresponsive')
  const running = [1, 2].map(() => failure(sql`select pg_sleep(100)`.execute(db)))
  const queued = failure(sql`select 1`.execute(db))
  proxy.freeze()
  await unresponsive
  for (const error of await Promise.all([...running, queued])) expect(isDatabaseUnavailable(error)).toBe(true)
  expect(await failure(sql`select 1`.execute(db))).toMatchObject({ code: '08001' })

  const responsive = once(changes, 'responsive')
  proxy.open()
  await responsive
  expect(reported).toEqual([true, false])
  expect((await sql`select 1 as one`.execute(db)).rows).toEqual([{ one: 1 }])
})

it('fails a running statement when the database stops responding, even if the pool is closing', async () => {
  const database = await createTestDatabase()
  onTestFinished(() => database.drop())
  const proxy = await startDatabaseProxy(database.connection)
  const db = createDatabase(
    createPool({ connection: { connectionString: proxy.url }, size: 1, statementTimeout: 0, responseTimeout: 10_000 }),
  )
  let closed: Promise<void> | undefined
  const error = await db.connection().execute(async (connection) => {
    await sql`select 1`.execute(connection)
    proxy.freeze()
    closed = db.destroy()
    return failure(sql`select 1`.execute(connection))
  })
  expect(isDatabaseUnavailable(error)).toBe(true)
  await closed
})

/** Waits for several checks, and long enough for a check to notice a waiting caller. */
const untilChecked = () => sleep(500)

it('recovers if the only caller fails while the probe is running', async () => {
  const database = await createTestDatabase()
  onTestFinished(() => database.drop())
  const proxy = await startDatabaseProxy(database.connection)
  const changes = new EventTarget()
  const db = createDatabase(
    createPool({
      connection: { connectionString: proxy.url },
      size: 1,
      statementTimeout: 0,
      responseTimeout: 60_000,
      onUnresponsive: (isUnresponsive) =>
        void changes.dispatchEvent(new Event(isUnresponsive ? 'unresponsive' : 'responsive')),
    }),
  )
  onTestFinished(() => db.destroy())
  const unresponsive = once(changes, 'unresponsive')
  const responsive = once(changes, 'responsive')

  const running = failure(sql`select pg_sleep(100)`.execute(db))
  const process = await pollUntil(async () => {
    const { rows } = await sql<{ pid: number }>`
      select pid from pg_stat_activity
      where datname = current_database() and state = 'active' and query = 'select pg_sleep(100)'`.execute(database.db)
    return rows[0]?.pid
  }, Boolean)
  proxy.freeze()
  await untilChecked()
  await sql`select pg_terminate_backend(${process})`.execute(database.db)
  expect(isDatabaseUnavailable(await running)).toBe(true)
  await untilChecked()
  proxy.close()
  await unresponsive
  proxy.open()
  await responsive
  expect((await sql`select 1 as one`.execute(db)).rows).toEqual([{ one: 1 }])
})

it('opens the probe connection in advance, and does not probe while no query is running', async () => {
  const database = await createTestDatabase()
  onTestFinished(() => database.drop())
  const { connection } = database
  const db = createDatabase(createPool({ connection, size: 2, statementTimeout: 0, responseTimeout: 60_000 }))
  onTestFinished(() => db.destroy())
  const lastProbe = async (): Promise<number | undefined> => {
    const { rows } = await sql<{ at: Date }>`
      select query_start as at from pg_stat_activity where datname = current_database() and application_name = 'muster watch'
        and state = 'idle' and query = 'select 1'`.execute(database.db)
    return rows[0]?.at.getTime()
  }
  /** Returns whether a second passes without a probe. A waiting caller would cause a probe in that time. */
  const isNotProbed = async (): Promise<boolean> => {
    const before = await lastProbe()
    await sql`select pg_sleep(1)`.execute(database.db)
    return before !== undefined && before === (await lastProbe())
  }
  await db.connection().execute(async () => {
    expect(await pollUntil(isNotProbed, Boolean)).toBe(true)
  })
})
