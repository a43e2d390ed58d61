import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createDataFolder } from '../../../test/database/data-folder.ts'
import { connectOrStart, connectRunning } from './connect-or-start.ts'
import { isGone, launchServer, newDataFolder, newFolder, query, start, startServer, until } from './test-bench.ts'

const silent = { info() {}, warn() {}, error() {} }

test.each(['SIGTERM', 'SIGINT'] as const)(
  'the server stops its database when the process group receives %s',
  async (signal) => {
    const { process: server, result } = await startServer(await newDataFolder())
    const exit = once(server, 'exit')
    process.kill(-(server.pid ?? 0), signal)
    expect(await exit).toEqual([0, null])
    expect(await isGone(result.pid)).toBe(true)
  },
)

test.each(['has stopped', 'may still be running'])(
  "a killed server's database stops, and the next start succeeds if that database %s",
  async (moment) => {
    const folder = await newDataFolder()
    const { result, kill } = await startServer(folder)
    await query((await connectRunning(folder))!, 'CREATE TABLE kept AS SELECT 7 AS seven')
    await kill('SIGKILL')
    if (moment === 'has stopped') await until(() => isGone(result.pid))

    const next = await start(folder)
    expect(await isGone(result.pid)).toBe(true)
    expect(await query(next.connection, 'SELECT seven FROM kept')).toEqual([{ seven: 7 }])
  },
)

test('starts after the server and its database were killed', async () => {
  const folder = await newDataFolder()
  const { result, kill } = await startServer(folder)
  await query((await connectRunning(folder))!, 'CREATE TABLE kept AS SELECT 7 AS seven')
  process.kill(result.pid ?? 0, 'SIGKILL')
  await kill('SIGKILL')

  const next = await start(folder)
  expect(await query(next.connection, 'SELECT seven FROM kept')).toEqual([{ seven: 7 }])
})

test('starts after the first start was killed several times', async () => {
  const folder = await newFolder()
  let kills = 0
  while (!existsSync(join(folder, 'pg'))) {
    const server = launchServer(folder)
    const exit = once(server, 'exit')
    await Promise.race([sleep(150 * 1.5 ** kills++), exit])
    server.kill('SIGKILL')
    await exit
  }
  expect(kills).toBeGreaterThan(1)
  const { connection } = await start(folder)
  expect(await query(connection, 'SELECT 1 AS one')).toEqual([{ one: 1 }])
})

test('rejects a second server in the folder, in this process or another, and names the first server', async () => {
  const folder = await newDataFolder()
  const first = await start(folder)
  const lockedError = { code: 'locked', message: expect.stringMatching(`${process.pid}.*MUSTER_DATA.*DATABASE_URL`) }
  await expect(start(folder)).rejects.toMatchObject(lockedError)
  expect((await startServer(folder)).result).toMatchObject(lockedError)
  expect(await query(first.connection, 'SELECT 1 AS one')).toEqual([{ one: 1 }])
})

test('starts only one of several servers that start at the same time', async () => {
  const folder = await newFolder()
  const results = (await Promise.all([1, 2, 3].map(() => startServer(folder)))).map(
    (server) => server.result.code ?? 'serves',
  )
  expect(results.toSorted()).toEqual(['locked', 'locked', 'serves'])
})

test('lets other processes find a database only while it is running', async () => {
  const folder = await newDataFolder()
  expect(await connectRunning(join(folder, 'nowhere'))).toBeUndefined()
  expect(await connectRunning(await newFolder())).toBeUndefined()
  expect(await connectRunning(folder)).toBeUndefined()

  const { kill } = await startServer(folder)
  expect(await query((await connectRunning(folder))!, 'SELECT 1 AS one')).toEqual([{ one: 1 }])
  await kill('SIGTERM')
  expect(await connectRunning(folder)).toBeUndefined()
})

test('does not treat a killed database as running', async () => {
  const folder = await newDataFolder()
  const { pid, ended } = await start(folder)
  process.kill(pid, 'SIGKILL')
  await ended
  expect(await connectRunning(folder)).toBeUndefined()
})

test('finds a running database under a path that is too long for a socket', async () => {
  const folder = join(await newFolder(), 'x'.repeat(150))
  await createDataFolder(folder)
  await startServer(folder)
  expect(await query((await connectRunning(folder))!, 'SELECT 1 AS one')).toEqual([{ one: 1 }])
})

test("lets a command use a server's database, and leaves the database running", async () => {
  const folder = await newFolder()
  const server = launchServer(folder)
  // Wait until the server has locked the folder and has begun to create its database.
  await until(() => ['pg.unfinished', 'pg'].some((name) => existsSync(join(folder, name))))
  const database = await connectOrStart({ dataFolder: folder, log: silent, onExit: () => {} })
  await database.close()
  expect(await query(database.connection, 'SELECT 1 AS one')).toEqual([{ one: 1 }])
  expect(server.exitCode).toBeNull()
})

test('lets a command start and stop the database if no server is running', async () => {
  const folder = await newDataFolder()
  const database = await connectOrStart({ dataFolder: folder, log: silent, onExit: () => {} })
  expect(await query(database.connection, 'SELECT 1 AS one')).toEqual([{ one: 1 }])
  await database.close()
  expect(await connectRunning(folder)).toBeUndefined()
})
