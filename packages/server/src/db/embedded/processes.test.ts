import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createDataFolder } from '../../../test/database/data-folder.ts'
import { connectOrStart, connectRunning } from './connect-running.ts'
import { isGone, launchServer, newDataFolder, newFolder, query, start, startServer, until } from './test-bench.ts'

const silent = { info() {}, warn() {}, error() {} }

test.each(['SIGTERM', 'SIGINT'] as const)(
  '%s to the whole group stops the server, which stops its database',
  async (signal) => {
    const { process: server, said } = await startServer(await newDataFolder())
    const exit = once(server, 'exit')
    process.kill(-(server.pid ?? 0), signal)
    expect(await exit).toEqual([0, null])
    expect(await isGone(said.pid)).toBe(true)
  },
)

test.each(['has gone', 'may still be there'])(
  'a server that is killed takes its database with it; the next start just works when that %s',
  async (moment) => {
    const folder = await newDataFolder()
    const { said, kill } = await startServer(folder)
    await query((await connectRunning(folder))!, 'CREATE TABLE kept AS SELECT 7 AS seven')
    await kill('SIGKILL')
    if (moment === 'has gone') await until(() => isGone(said.pid))

    const next = await start(folder)
    expect(await isGone(said.pid)).toBe(true)
    expect(await query(next.connection, 'SELECT seven FROM kept')).toEqual([{ seven: 7 }])
  },
)

test('a server killed together with its database leaves nothing that stands in the way', async () => {
  const folder = await newDataFolder()
  const { said, kill } = await startServer(folder)
  await query((await connectRunning(folder))!, 'CREATE TABLE kept AS SELECT 7 AS seven')
  process.kill(said.pid ?? 0, 'SIGKILL')
  await kill('SIGKILL')

  const next = await start(folder)
  expect(await query(next.connection, 'SELECT seven FROM kept')).toEqual([{ seven: 7 }])
})

test('a first start that is killed at any moment is made up for by the next', async () => {
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

test('a second server on the folder is refused by name, in this process and in another', async () => {
  const folder = await newDataFolder()
  const first = await start(folder)
  const refusal = { code: 'locked', message: expect.stringMatching(`${process.pid}.*MUSTER_DATA.*DATABASE_URL`) }
  await expect(start(folder)).rejects.toMatchObject(refusal)
  expect((await startServer(folder)).said).toMatchObject(refusal)
  expect(await query(first.connection, 'SELECT 1 AS one')).toEqual([{ one: 1 }])
})

test('of servers that start at once, one serves', async () => {
  const folder = await newFolder()
  const said = (await Promise.all([1, 2, 3].map(() => startServer(folder)))).map(
    (server) => server.said.code ?? 'serves',
  )
  expect(said.toSorted()).toEqual(['locked', 'locked', 'serves'])
})

test('a running database is found by other processes, and only a running one', async () => {
  const folder = await newDataFolder()
  expect(await connectRunning(join(folder, 'nowhere'))).toBeUndefined()
  expect(await connectRunning(await newFolder())).toBeUndefined()
  expect(await connectRunning(folder)).toBeUndefined()

  const { kill } = await startServer(folder)
  expect(await query((await connectRunning(folder))!, 'SELECT 1 AS one')).toEqual([{ one: 1 }])
  await kill('SIGTERM')
  expect(await connectRunning(folder)).toBeUndefined()
})

test('a database that was killed is not taken for running', async () => {
  const folder = await newDataFolder()
  const { pid, ended } = await start(folder)
  process.kill(pid, 'SIGKILL')
  await ended
  expect(await connectRunning(folder)).toBeUndefined()
})

test('a running database is found under a path too long for a socket', async () => {
  const folder = join(await newFolder(), 'x'.repeat(150))
  await createDataFolder(folder)
  await startServer(folder)
  expect(await query((await connectRunning(folder))!, 'SELECT 1 AS one')).toEqual([{ one: 1 }])
})

test('a command uses the database of a server and leaves it running', async () => {
  const folder = await newFolder()
  const server = launchServer(folder)
  // It has the folder, and its database is being made.
  await until(() => ['pg.unfinished', 'pg'].some((name) => existsSync(join(folder, name))))
  const database = await connectOrStart({ dataFolder: folder, log: silent, onExit: () => {} })
  await database.close()
  expect(await query(database.connection, 'SELECT 1 AS one')).toEqual([{ one: 1 }])
  expect(server.exitCode).toBeNull()
})

test('a command without a server starts the database for itself and stops it', async () => {
  const folder = await newDataFolder()
  const database = await connectOrStart({ dataFolder: folder, log: silent, onExit: () => {} })
  expect(await query(database.connection, 'SELECT 1 AS one')).toEqual([{ one: 1 }])
  await database.close()
  expect(await connectRunning(folder)).toBeUndefined()
})
