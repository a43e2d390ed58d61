import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { type Kysely, sql } from 'kysely'
import { expect, inject, it, onTestFinished } from 'vitest'
import { newDatabase, type OpenDatabase } from '../../src/backup/database-fixture.ts'
import { writeBackup } from '../../src/backup/write-backup.ts'
import { createEventPartition } from '../../src/db/event-partitions.ts'
import { migrate, migrateTo } from '../../src/db/migrate.ts'
import { type Migration, readMigrations, releaseFolder } from '../../src/db/migration.ts'
import { pollUntil } from '../api/webhooks.ts'
import { caseNames, readCase } from './case.ts'
import { guarded } from './lock-guard.ts'
import { contentsOf, missingRows } from './rows-of.ts'
import { missingOnPartitions, schemaOf } from './schema-of.ts'
import { stages } from './stages.ts'

const release = await readMigrations(releaseFolder)
const sample = await readMigrations(new URL('migrations/', import.meta.url))
const names = release.map(({ name }) => name)
const later = names.filter((name) => stages[name] === undefined)

const untyped = ({ db }: OpenDatabase): Kysely<unknown> => db as unknown as Kysely<unknown>
const atEnd = onTestFinished

it('includes rows or a case for every migration', async () => {
  expect(Object.keys(stages)).toEqual(names.slice(0, 10))
  expect(await caseNames()).toEqual(later)
})

it('keeps the rows of every stage through all later migrations, and ends with the schema of a new database', async () => {
  const place = await newDatabase('empty', atEnd)
  const db = untyped(place)
  // Do not guard the migrations of the first release, because they ran only on empty databases.
  const migrations = release.map((migration) => (stages[migration.name] === undefined ? guarded(migration) : migration))
  for (const name of names) {
    const { before, meanwhile, changes = [] } = stages[name] === undefined ? await readCase(name) : {}
    await before?.(db)
    const contents = await contentsOf(db)
    await migrateTo(place.db, name, { migrations })
    expect(await missingRows(db, contents, changes), name).toEqual([])
    await stages[name]?.(db)
    await meanwhile?.(db)
  }
  expect(await migrate(place.db)).toEqual([])
  for (const name of later) {
    const { check, checkAlways } = await readCase(name)
    await checkAlways?.(db)
    await check?.(db)
  }
  const filled = [...(await contentsOf(db)).values()].filter(({ rows }) => rows.length > 0)
  expect(filled.length).toBeGreaterThan(20)
  const fresh = await newDatabase('migrated', atEnd)
  expect(await schemaOf(db)).toEqual(await schemaOf(untyped(fresh)))
  expect(await missingOnPartitions(db)).toEqual([])
})

async function openFilledDatabase(): Promise<OpenDatabase> {
  const place = await newDatabase('migrated', atEnd)
  for (const name of ['0001_users', '0002_devices', '0005_events']) await stages[name]!(untyped(place))
  return place
}

it('resumes index creation after a kill without blocking writers and servers', async () => {
  const place = await openFilledDatabase()
  const migrations = [...release, ...sample]
  const reader = await place.pool.connect()
  // `create index concurrently` waits for older transactions, including this reader's.
  await reader.query('begin isolation level repeatable read; select 1')
  const child = spawn(process.execPath, [new URL('migrating-process.ts', import.meta.url).pathname, place.url], {
    stdio: 'inherit',
  })
  const exited = once(child, 'exit')
  atEnd(async () => {
    child.kill('SIGKILL')
    await exited
  })
  const isIncomplete = async (): Promise<boolean> =>
    (await place.pool.query(`select from pg_index where indexrelid = to_regclass('device_by_mark') and not indisvalid`))
      .rowCount === 1
  await pollUntil(isIncomplete, Boolean)

  await place.pool.query(`insert into device (account_id, id, name) values ('account-1', 'meanwhile', 'meanwhile')`)
  expect(await migrate(place.db)).toEqual([])
  const file = join(inject('scratchFolder'), 'never-written')
  await expect(writeBackup({ pool: place.pool, file })).rejects.toMatchObject({ reason: 'upgrading' })
  const stop = new AbortController()
  let warn: (details: object) => void = () => {}
  const warned = new Promise<object>((resolve) => {
    warn = resolve
  })
  const waiting = migrate(place.db, { migrations, log: { info() {}, warn }, signal: stop.signal })
  const stopped = expect(waiting).rejects.toThrow(/aborted/)
  expect(await warned).toMatchObject({
    migration: '0101_mark',
    step: 'index device_by_mark',
    session: { pid: expect.any(Number) },
  })
  stop.abort()
  await stopped

  child.kill('SIGKILL')
  expect(await exited).toEqual([null, 'SIGKILL'])
  const indexStatement = `select from pg_stat_activity where query like 'create index concurrently "device_by_mark"%' and datname = current_database()`
  await pollUntil(
    async () => (await place.pool.query(indexStatement)).rowCount,
    (count) => count === 0,
  )
  expect(await isIncomplete()).toBe(true)
  await reader.query('rollback')
  reader.release()

  expect(await migrate(place.db, { migrations })).toEqual(['0101_mark'])
  const { rows } = await place.pool.query(`select count(*)::int, count(mark)::int as marked from device`)
  expect(rows).toEqual([{ count: 301, marked: 301 }])
  const fresh = await newDatabase('migrated', atEnd)
  await migrate(fresh.db, { migrations })
  // The schemas omit partitions, because PostgreSQL chooses the names of their indexes in a new database.
  expect(await schemaOf(untyped(place))).toEqual(await schemaOf(untyped(fresh)))
  expect(await missingOnPartitions(untyped(place))).toEqual([])
})

it('retries a change that cannot acquire its lock, and lets queued statements run first', async () => {
  const place = await openFilledDatabase()
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
  const warned = new Promise<object>((resolve) => {
    warn = resolve
  })
  const migrated = migrate(place.db, { migrations: [...release, column], log: { info() {}, warn } })
  expect(await warned).toMatchObject({ open: [{ pid: expect.any(Number) }] })
  await place.pool.query(`update device set name = 'written meanwhile' where id = 'device-1'`)
  await reader.query('commit')
  reader.release()
  expect(await migrated).toEqual(['0102_column'])
})

const locking: Readonly<Record<string, string>> = {
  'an index in a transaction': 'create index on device (account_id, name, platform)',
  'a rewritten table': 'alter table device alter column name type varchar(300)',
  'an immediately validated constraint': `alter table device add check (name <> '')`,
}

it('rejects and rolls back a change that reads a table while it locks the table against writers', async () => {
  const place = await openFilledDatabase()
  for (const [change, statement] of Object.entries(locking)) {
    const bad: Migration = {
      name: '0103_bad',
      needs: null,
      steps: [{ change, run: async (db) => void (await sql.raw(statement).execute(db)) }],
    }
    await expect(migrate(place.db, { migrations: [...release, guarded(bad)] }), change).rejects.toThrow(
      `${change}: reads tables that it locks against writers: device`,
    )
  }
  expect(await migrate(place.db)).toEqual([])
})

it('accepts a database of a newer release unless a migration requires a newer server', async () => {
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
    /migrated the database to 0105_contracts, which this release does not support/,
  )
})

it('creates a partition of the event log without waiting for readers', async () => {
  const place = await openFilledDatabase()
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
