import { once } from 'node:events'
import { sql } from 'kysely'
import { expect, it, onTestFinished } from 'vitest'
import { pollUntil } from '../../../test/api/webhooks.ts'
import { startDatabaseProxy } from '../../../test/database/database-proxy.ts'
import { createTestDatabase } from '../../../test/database/test-database.ts'
import { createDatabase, createPool } from '../database.ts'
import { isDatabaseAway } from '../database-away.ts'

const failure = (asked: Promise<unknown>): Promise<unknown> => asked.catch((error: unknown) => error)

it('nobody waits for a database that falls silent, and a statement that is slow goes on', async () => {
  const database = await createTestDatabase()
  onTestFinished(() => database.drop())
  const gate = await startDatabaseProxy(database.connection)
  const told: boolean[] = []
  const changes = new EventTarget()
  const db = createDatabase(
    createPool({
      connection: { connectionString: gate.url },
      size: 2,
      statementTimeout: 0,
      silence: 5_000,
      onSilence(isSilent) {
        told.push(isSilent)
        changes.dispatchEvent(new Event(isSilent ? 'silent' : 'heard'))
      },
    }),
  )
  onTestFinished(() => db.destroy())

  const slow = await sql`select pg_sleep(3), 1 as one`.execute(db)
  expect(slow.rows).toMatchObject([{ one: 1 }])

  const silent = once(changes, 'silent')
  const under = [1, 2].map(() => failure(sql`select pg_sleep(100)`.execute(db)))
  const inLine = failure(sql`select 1`.execute(db))
  gate.freeze()
  await silent
  for (const error of await Promise.all([...under, inLine])) expect(isDatabaseAway(error)).toBe(true)
  expect(await failure(sql`select 1`.execute(db))).toMatchObject({ code: '08001' })

  const heard = once(changes, 'heard')
  gate.open()
  await heard
  expect(told).toEqual([true, false])
  expect((await sql`select 1 as one`.execute(db)).rows).toEqual([{ one: 1 }])
})

it('the question has a connection before anybody waits, and is not asked about one that is kept for nothing', async () => {
  const database = await createTestDatabase()
  onTestFinished(() => database.drop())
  const { connection } = database
  const db = createDatabase(createPool({ connection, size: 2, statementTimeout: 0, silence: 60_000 }))
  onTestFinished(() => db.destroy())
  const lastAsked = async (): Promise<number | undefined> => {
    const { rows } = await sql<{ at: Date }>`
      select query_start as at from pg_stat_activity where datname = current_database() and application_name = 'muster watch'
        and state = 'idle' and query = 'select 1'`.execute(database.db)
    return rows[0]?.at.getTime()
  }
  /** Whether it was asked at some time, and not for longer than anybody has patience. */
  const isLeftAlone = async (): Promise<boolean> => {
    const before = await lastAsked()
    await sql`select pg_sleep(1)`.execute(database.db)
    return before !== undefined && before === (await lastAsked())
  }
  await db.connection().execute(async () => {
    expect(await pollUntil(isLeftAlone, Boolean)).toBe(true)
  })
})
