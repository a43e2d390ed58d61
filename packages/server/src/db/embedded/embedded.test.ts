import { existsSync } from 'node:fs'
import { mkdir, readFile, rename, stat, symlink, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { expect, test } from 'vitest'
import { adviceOn } from './explain-failure.ts'
import { isGone, newDataFolder, newFolder, query, start, until } from './test-bench.ts'

test('on the first start, creates a durable database for a role that is not a superuser', async () => {
  const folder = join(await newFolder(), 'a', 'data')
  const { connection, majorVersion } = await start(folder)

  const [row] = await query(
    connection,
    `SELECT current_user AS user, current_database() AS database, rolsuper, rolcreaterole, rolbypassrls,
            pg_encoding_to_char(encoding) AS encoding, datlocale, current_setting('server_version') AS version
     FROM pg_roles, pg_database WHERE rolname = current_user AND datname = current_database()`,
  )
  expect(row).toMatchObject({
    user: 'muster',
    database: 'muster',
    rolsuper: false,
    rolcreaterole: false,
    rolbypassrls: false,
    encoding: 'UTF8',
    datlocale: 'C.UTF-8',
    version: expect.stringMatching(new RegExp(`^${majorVersion}\\.`)),
  })
  const settings = await query<{ name: string; setting: string }>(
    connection,
    `SELECT name, setting FROM pg_settings WHERE name IN
       ('fsync', 'full_page_writes', 'synchronous_commit', 'listen_addresses', 'jit', 'data_checksums')`,
  )
  expect(Object.fromEntries(settings.map(({ name, setting }) => [name, setting]))).toEqual({
    fsync: 'on',
    full_page_writes: 'on',
    synchronous_commit: 'on',
    listen_addresses: '',
    jit: 'off',
    data_checksums: 'on',
  })
  expect((await stat(folder)).mode & 0o777).toBe(0o700)
})

test('lets the role create required extensions, copy databases, and use ICU, but not access files', async () => {
  const { connection } = await start(await newFolder())
  const rows = await query(
    connection,
    'CREATE EXTENSION pg_trgm',
    'CREATE EXTENSION btree_gin',
    `CREATE COLLATION "natural" (provider = icu, locale = 'und-u-kn-true-ks-level2', deterministic = false)`,
    'CREATE DATABASE copy TEMPLATE muster',
    `SELECT 'A10' > 'a9' COLLATE "natural" AS natural, lower('É' COLLATE "und-x-icu") AS lower`,
  )
  expect(rows).toEqual([{ natural: true, lower: 'é' }])
  await expect(query(connection, `COPY (SELECT 1) TO PROGRAM 'id'`)).rejects.toThrow(/permission denied/)
  await expect(query(connection, `SELECT pg_read_file('/etc/passwd')`)).rejects.toThrow(/permission denied/)
})

test('does not let the superuser connect', async () => {
  const { connection } = await start(await newDataFolder())
  const client = new pg.Client({ ...connection, user: 'postgres', database: 'postgres' })
  await expect(client.connect()).rejects.toThrow(/no pg_hba.conf entry/)
})

test('keeps committed data after a restart', async () => {
  const folder = await newFolder()
  const first = await start(folder)
  await query(first.connection, 'CREATE TABLE kept AS SELECT 7 AS seven')
  await Promise.all([first.stop(), first.stop()])
  expect(await isGone(first.pid)).toBe(true)

  const second = await start(folder)
  expect(await query(second.connection, 'SELECT seven FROM kept')).toEqual([{ seven: 7 }])
})

test('closes open connections when the database stops', async () => {
  const { connection, stop } = await start(await newDataFolder())
  const client = new pg.Client({ ...connection })
  const connectionError = new Promise<Error>((resolve) => client.on('error', resolve))
  await client.connect()
  await client.query('BEGIN')
  await stop()
  expect((await connectionError).message).toMatch(/terminat/)
})

test('reports a killed database with the end of the log, and recovers on the next start', async () => {
  const folder = await newDataFolder()
  const first = await start(folder)
  await query(first.connection, 'CREATE TABLE kept AS SELECT 7 AS seven')
  process.kill(first.pid, 'SIGKILL')
  expect(await first.ended).toMatch(/signal SIGKILL.*ready to accept connections/s)
  await first.stop()

  const second = await start(folder)
  expect(await query(second.connection, 'SELECT seven FROM kept')).toEqual([{ seven: 7 }])
})

test('starts even if stale PID files name a running process', async () => {
  const folder = await newDataFolder()
  const stale = `${process.pid}\n${folder}/pg\n1\n5432\n.\n\n  1 1\nready   \n`
  await writeFile(join(folder, 'pg/postmaster.pid'), stale)
  await writeFile(join(folder, 'pg/.s.PGSQL.5432.lock'), stale)
  await writeFile(join(folder, 'lock'), `${process.pid} of long ago\n`)

  const { connection } = await start(folder)
  expect(await query(connection, 'SELECT 1 AS one')).toEqual([{ one: 1 }])
})

test.each([
  ['is too long for a socket', 'x'.repeat(150)],
  ['contains spaces, quotes, and non-ASCII letters', `it's a "daß" $HOME; 数据`],
])('starts in a folder whose name %s', async (_, name) => {
  const folder = join(await newFolder(), name)
  const first = await start(folder)
  await query(first.connection, 'CREATE TABLE kept ()')
  await first.stop()
  const second = await start(folder)
  expect(await query(second.connection, 'SELECT * FROM kept')).toEqual([])
})

test('removes the files of an interrupted first start', async () => {
  const folder = await newFolder()
  await mkdir(join(folder, 'pg.unfinished/base'), { recursive: true })
  await writeFile(join(folder, 'pg.unfinished/PG_VERSION'), '18\n')
  await start(folder)
  expect(existsSync(join(folder, 'pg.unfinished'))).toBe(false)
})

test('rejects a folder that contains files but no database, without changing the files', async () => {
  const folder = await newFolder()
  await mkdir(join(folder, 'pg'))
  await writeFile(join(folder, 'pg/postgresql.conf'), 'mine')
  await expect(start(folder)).rejects.toMatchObject({
    code: 'start-failed',
    message: expect.stringMatching(/no PG_VERSION.*DATABASE_URL/),
  })
  expect(await readFile(join(folder, 'pg/postgresql.conf'), 'utf8')).toBe('mine')
})

test('rejects a database of another major version without changing the database', async () => {
  const folder = await newDataFolder()
  await writeFile(join(folder, 'pg/PG_VERSION'), '15\n')
  await expect(start(folder)).rejects.toMatchObject({
    code: 'wrong-major-version',
    message: expect.stringMatching(/PostgreSQL 15.*PostgreSQL 18.*DATABASE_URL/s),
  })
  await writeFile(join(folder, 'pg/PG_VERSION'), '18\n')
  await start(folder)
})

test('reports why a database does not start, and releases the folder', async () => {
  const folder = await newDataFolder()
  await expect(start(folder, { shared_buffers: 'plenty' })).rejects.toMatchObject({
    code: 'start-failed',
    message: expect.stringMatching(/DATABASE_URL.*pg\.log.*shared_buffers.*plenty/s),
  })
  await rename(join(folder, 'pg/global'), join(folder, 'pg/elsewhere'))
  await expect(start(folder)).rejects.toMatchObject({ code: 'start-failed' })
  await rename(join(folder, 'pg/elsewhere'), join(folder, 'pg/global'))
  await start(folder)
})

test('advises to free memory, not disk space, if the machine lacks shared memory', () => {
  const reason = 'FATAL:  could not create shared memory segment: No space left on device'
  expect(adviceOn(reason)).toMatch(/memory/)
  expect(adviceOn(reason)).not.toMatch(/disk/)
})

test('rejects a file as the data folder, and suggests DATABASE_URL', async () => {
  const file = join(await newFolder(), 'data')
  await writeFile(file, '')
  await expect(start(file)).rejects.toMatchObject({
    name: 'EmbeddedError',
    code: 'start-failed',
    message: expect.stringContaining('DATABASE_URL'),
  })
})

test('does not follow a symbolic link that replaces the lock or the log', async () => {
  for (const name of ['lock', 'pg.log']) {
    const folder = await newFolder()
    const precious = join(folder, 'precious')
    await writeFile(precious, 'mine')
    await symlink(precious, join(folder, name))
    await expect(start(folder)).rejects.toMatchObject({ code: 'start-failed' })
    expect(await readFile(precious, 'utf8')).toBe('mine')
  }
})

test('keeps the log private and free of values, and rotates a large log', async () => {
  const folder = await newDataFolder()
  const log = join(folder, 'pg.log')
  const first = await start(folder)
  await query(first.connection, 'CREATE TABLE t (secret text PRIMARY KEY)')
  const insert = `INSERT INTO t VALUES ('hunter2')`
  await expect(query(first.connection, insert, insert)).rejects.toThrow(/duplicate key/)
  await first.stop()
  expect(await readFile(log, 'utf8')).toContain('duplicate key')
  expect(await readFile(log, 'utf8')).not.toContain('hunter2')
  expect((await stat(log)).mode & 0o777).toBe(0o600)

  await truncate(log, 9 * 1024 * 1024)
  const second = await start(folder)
  await until(async () => (await readFile(log, 'utf8')).includes('ready to accept connections'))
  expect((await stat(log)).size).toBeLessThan(100_000)
  expect((await stat(`${log}.1`)).size).toBe(9 * 1024 * 1024)
  await second.stop()
})
