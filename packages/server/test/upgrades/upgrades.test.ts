import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { type Kysely, sql } from 'kysely'
import { expect, inject, it, onTestFinished } from 'vitest'
import { newDatabase, type Place } from '../../src/backup/place-fixture.ts'
import { writeBackup } from '../../src/backup/write-backup.ts'
import { createEventPartition } from '../../src/db/event-partitions.ts'
import { migrate, migrateTo } from '../../src/db/migrate.ts'
import { type Migration, readMigrations, releaseFolder } from '../../src/db/migration.ts'
import { pollUntil } from '../api/webhooks.ts'
import { caseNames, readCase } from './case.ts'
import { guarded } from './lock-guard.ts'
import { contentsOf, lostOf } from './rows-of.ts'
import { missingOnPartitions, schemaOf } from './schema-of.ts'
import { stages } from './stages.ts'

const release = await readMigrations(releaseFolder)
const made = await readMigrations(new URL('migrations/', import.meta.url))
const names = release.map(({ name }) => name)
const later = names.filter((name) => stages[name] === undefined)

const untyped = ({ db }: Place): Kysely<unknown> => db as unknown as Kysely<unknown>
const atEnd = onTestFinished

it('every migration has its rows, or what must be true after it', async () => {
  expect(Object.keys(stages)).toEqual(names.slice(0, 10))
  expect(await caseNames()).toEqual(later)
})

it('rows of every stage come through all that follows, and the schema is that of a new database', async () => {
  const place = await newDatabase('empty', atEnd)
  const db = untyped(place)
  // The first release's ran on empty databases alone.
  const migrations = release.map((migration) => (stages[migration.name] === undefined ? guarded(migration) : migration))
  for (const name of names) {
    const { before, meanwhile, changes = [] } = stages[name] === undefined ? await readCase(name) : {}
    await before?.(db)
    const contents = await contentsOf(db)
    await migrateTo(place.db, name, { migrations })
    expect(await lostOf(db, contents, changes), name).toEqual([])
    await stages[name]?.(db)
    await meanwhile?.(db)
  }
  expect(await migrate(place.db)).toEqual([])
  for (const name of later) await (await readCase(name)).check(db)
  const counted = [...(await contentsOf(db)).values()].filter(({ rows }) => rows.length > 0)
  expect(counted.length).toBeGreaterThan(20)
  const fresh = await newDatabase('migrated', atEnd)
  expect(await schemaOf(db)).toEqual(await schemaOf(untyped(fresh)))
  expect(await missingOnPartitions(db)).toEqual([])
})

/** Of this release, with rows of the first stages. */
async function filledPlace(): Promise<Place> {
  const place = await newDatabase('migrated', atEnd)
  for (const name of ['0001_users', '0002_devices', '0005_events']) await stages[name]!(untyped(place))
  return place
}

it('a process that is killed while it makes an index leaves what the next one goes on with; writers and servers do not wait', async () => {
  const place = await filledPlace()
  const migrations = [...release, ...made]
  const reader = await place.pool.connect()
  // An index that is made concurrently waits for whoever reads since before: as long as this one does.
  await reader.query('begin isolation level repeatable read; select 1')
  const child = spawn(process.execPath, [new URL('migrating-process.ts', import.meta.url).pathname, place.url], {
    stdio: 'inherit',
  })
  const exited = once(child, 'exit')
  atEnd(async () => {
    child.kill('SIGKILL')
    await exited
  })
  const isHalfMade = async (): Promise<boolean> =>
    (await place.pool.query(`select from pg_index where indexrelid = to_regclass('device_by_mark') and not indisvalid`))
      .rowCount === 1
  await pollUntil(isHalfMade, Boolean)

  await place.pool.query(`insert into device (account_id, id, name) values ('account-1', 'meanwhile', 'meanwhile')`)
  expect(await migrate(place.db)).toEqual([])
  const file = join(inject('scratchFolder'), 'never-written')
  await expect(writeBackup({ pool: place.pool, file })).rejects.toMatchObject({ reason: 'upgrading' })
  const stop = new AbortController()
  let warn: (details: object) => void = () => {}
  const told = new Promise<object>((resolve) => {
    warn = resolve
  })
  const waiting = migrate(place.db, { migrations, log: { info() {}, warn }, signal: stop.signal })
  const stopped = expect(waiting).rejects.toThrow(/aborted/)
  expect(await told).toMatchObject({
    migration: '0101_mark',
    what: 'index device_by_mark',
    by: { pid: expect.any(Number) },
  })
  stop.abort()
  await stopped

  child.kill('SIGKILL')
  expect(await exited).toEqual([null, 'SIGKILL'])
  const making = `select from pg_stat_activity where query like 'create index concurrently "device_by_mark"%' and datname = current_database()`
  await pollUntil(
    async () => (await place.pool.query(making)).rowCount,
    (count) => count === 0,
  )
  expect(await isHalfMade()).toBe(true)
  await reader.query('rollback')
  reader.release()

  expect(await migrate(place.db, { migrations })).toEqual(['0101_mark'])
  const { rows } = await place.pool.query(`select count(*)::int, count(mark)::int as marked from device`)
  expect(rows).toEqual([{ count: 301, marked: 301 }])
  const fresh = await newDatabase('migrated', atEnd)
  await migrate(fresh.db, { migrations })
  // Not the order: a new database has the index in its partitions under PostgreSQL's own names.
  expect(await schemaOf(untyped(place))).toEqual(await schemaOf(untyped(fresh)))
  expect(await missingOnPartitions(untyped(place))).toEqual([])
})

it('a change that does not get its lock lets those through who wait behind it, and is tried again', async () => {
  const place = await filledPlace()
  const reader = await place.pool.connect()
  await reader.query('begin; select from device')
  const column: Migration = {
    name: '0102_column',
    needs: null,
    steps: [
      { change: 'column', run: async (db) => void (await sql`alter table device add column x text`.execute(db)) },
    ],
  }
  let warn: (details: object) => void = () => {}
  const refused = new Promise<object>((resolve) => {
    warn = resolve
  })
  const migrated = migrate(place.db, { migrations: [...release, column], log: { info() {}, warn } })
  expect(await refused).toMatchObject({ open: [{ pid: expect.any(Number) }] })
  await place.pool.query(`update device set name = 'written meanwhile' where id = 'device-1'`)
  await reader.query('commit')
  reader.release()
  expect(await migrated).toEqual(['0102_column'])
})

const locking: Readonly<Record<string, string>> = {
  'an index made in a transaction': 'create index on device (account_id, name, platform)',
  'a table written anew': 'alter table device alter column name type varchar(300)',
  'a constraint that is checked at once': `alter table device add check (name <> '')`,
}

it('a change is caught that reads a table while writers wait for it, and leaves nothing behind', async () => {
  const place = await filledPlace()
  for (const [what, statement] of Object.entries(locking)) {
    const bad: Migration = {
      name: '0103_bad',
      needs: null,
      steps: [{ change: what, run: async (db) => void (await sql.raw(statement).execute(db)) }],
    }
    await expect(migrate(place.db, { migrations: [...release, guarded(bad)] }), what).rejects.toThrow(
      `${what}: nobody may write meanwhile to device`,
    )
  }
  expect(await migrate(place.db)).toEqual([])
})

it('on a database of a newer release a server serves, unless that says that it cannot', async () => {
  const { db } = await newDatabase('migrated', atEnd)
  const newer = (name: string, needs: string | null): Migration => ({
    name,
    needs,
    steps: [{ change: 'nothing', run: async (db) => void (await sql`select 1`.execute(db)) }],
  })
  const expanding = newer('0104_expands', null)
  const contracting = newer('0105_contracts', '0104_expands')
  const warned: object[] = []
  const log = { info() {}, warn: (details: object) => void warned.push(details) }
  await migrate(db, { migrations: [...release, expanding] })
  expect(await migrate(db, { log })).toEqual([])
  expect(warned).toEqual([{ migrations: ['0104_expands'] }])
  await migrate(db, { migrations: [...release, expanding, contracting] })
  expect(await migrate(db, { migrations: [...release, expanding] })).toEqual([])
  await expect(migrate(db)).rejects.toThrow(
    /brought the database to 0105_contracts, on which this release cannot serve/,
  )
})

it('a new month of the event log waits for nobody who reads it', async () => {
  const place = await filledPlace()
  const reader = await place.pool.connect()
  await reader.query('begin; select from event')
  await createEventPartition(place.db, new Date('2031-01-01'))
  await place.pool.query(
    `insert into event (account_id, type, targets, "timestamp") values ('account-1', 'DEVICE_REGISTER', '[]', '2031-01-15')`,
  )
  await reader.query('rollback')
  reader.release()
  expect(await missingOnPartitions(untyped(place))).toEqual([])
})
