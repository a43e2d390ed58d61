import { randomBytes, randomUUID } from 'node:crypto'
import { mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { describe, expect, inject, it, onTestFinished } from 'vitest'
import { createDataFolder } from '../test/database/data-folder.ts'
import { administer, atDatabase, dropDatabase } from '../test/global-setup.ts'
import { failToStart, readCredentials, sendAs, startServerProcess } from '../test/harness/server-process.ts'
import { ssoSettings } from '../test/single-sign-on/sign-on.ts'

const me = '{ login { email accessKeys { key } } }'

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'muster-serve-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

const databasePid = async (folder: string): Promise<number> =>
  Number((await readFile(join(folder, 'pg', 'postmaster.pid'), 'utf8')).split('\n')[0])

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

const modeOf = async (path: string): Promise<number> => (await stat(path)).mode & 0o777

const readiness = async (url: string): Promise<number> => (await fetch(`${url}/readyz`)).status

describe('a server with an embedded database', () => {
  it('creates its owner on the first start, and continues with the same data after a stop or a crash', async () => {
    const folder = join(await newFolder(), 'data')
    const env = { MUSTER_DATA: folder, MUSTER_OWNER_EMAIL: 'ada@example.com', MUSTER_LOGLEVEL: 'debug' }

    const first = await startServerProcess(env)
    const credentials = await readCredentials(folder)
    expect(credentials).toMatchObject({ MUSTER_URL: first.url, MUSTER_EMAIL: 'ada@example.com' })
    expect(credentials.MUSTER_PASSWORD?.length).toBeGreaterThan(20)
    expect(await modeOf(join(folder, 'credentials'))).toBe(0o600)
    expect(await modeOf(join(folder, 'master.key'))).toBe(0o600)
    expect(await modeOf(folder)).toBe(0o700)
    expect(first.stdout()).toContain(join(folder, 'credentials'))
    expect(first.stderr()).toContain('MUSTER_LOGLEVEL')
    const response = await sendAs(credentials, first.url, me)
    expect(response.body.data.login).toEqual({
      email: 'ada@example.com',
      accessKeys: [{ key: credentials.MUSTER_ACCESS_KEY_ID }],
    })
    expect((await fetch(`${first.url}/healthz`)).status).toBe(200)
    await expect.poll(() => readiness(first.url)).toBe(200)

    const other = await failToStart(env)
    expect(other.code).toBe(1)
    expect(other.stderr).toContain(folder)

    const database = await databasePid(folder)
    expect(await first.stop('SIGTERM')).toBe(0)
    expect(isRunning(database)).toBe(false)

    const second = await startServerProcess(env)
    const unchanged = await readCredentials(folder)
    expect(unchanged).toEqual({ ...credentials, MUSTER_URL: second.url })
    expect((await sendAs(credentials, second.url, me)).body).toEqual(response.body)
    await second.stop('SIGKILL')

    const third = await startServerProcess(env)
    expect((await sendAs(credentials, third.url, me)).body).toEqual(response.body)
    expect(await third.stop('SIGINT')).toBe(0)
    expect((await readdir(folder)).filter((name) => /tmp|new|until/.test(name))).toEqual([])
  })

  it('recommends a link for the first sign-in if it accepts only single sign-on', async () => {
    const folder = await newFolder()
    await createDataFolder(folder)
    const sso = { ...ssoSettings('https://login.example.com'), MUSTER_SIGN_IN: 'sso' }
    const server = await startServerProcess({ MUSTER_DATA: folder, MUSTER_OWNER_EMAIL: 'ada@example.com', ...sso })
    expect(server.stdout()).toContain('muster users link ada@example.com')
    expect(server.stdout()).not.toContain('password')
    expect(await server.stop()).toBe(0)
  })

  it('restarts its database when the database is killed', async () => {
    const folder = await newFolder()
    await createDataFolder(folder)
    const server = await startServerProcess({ MUSTER_DATA: folder })
    const credentials = await readCredentials(folder)
    const killed = await databasePid(folder)
    process.kill(killed, 'SIGKILL')
    await expect.poll(() => databasePid(folder).catch(() => killed)).not.toBe(killed)
    await expect.poll(() => readiness(server.url)).toBe(200)
    const email = async () => (await sendAs(credentials, server.url, me)).body.data?.login.email
    await expect.poll(email).toBe('owner@localhost')
    expect(await server.stop()).toBe(0)
    expect(isRunning(await databasePid(folder).catch(() => killed))).toBe(false)
  })
})

describe('starting a server', () => {
  it('rejects a missing or wrong master key, and completes a first start that crashed', async () => {
    const folder = await newFolder()
    const env = { MUSTER_DATA: folder, DATABASE_URL: (await newDatabase()).url }
    expect(await (await startServerProcess(env)).stop()).toBe(0)
    const credentials = await readCredentials(folder)
    const key = join(folder, 'master.key')

    await rename(key, `${key}.away`)
    const missing = await failToStart(env)
    expect(missing).toMatchObject({ code: 1, stderr: expect.stringContaining('master key') })
    expect(await readdir(folder)).not.toContain('master.key')

    await writeFile(key, `${randomBytes(32).toString('base64')}\n`, { mode: 0o600 })
    const wrong = await failToStart(env)
    expect(wrong).toMatchObject({ code: 1, stderr: expect.stringContaining(key) })
    expect(wrong.stderr).not.toContain('    at ')

    // Simulate a crash after the commit and before the rename of the credentials file, and set the correct master key.
    await rename(join(folder, 'credentials'), join(folder, 'credentials.new'))
    const MUSTER_MASTER_KEY = (await readFile(`${key}.away`, 'utf8')).trim()
    const server = await startServerProcess({ ...env, MUSTER_MASTER_KEY })
    expect(await readCredentials(folder)).toEqual({ ...credentials, MUSTER_URL: server.url })
    expect((await sendAs(credentials, server.url, me)).status).toBe(200)
  })

  it('updates the URL in the credentials file when MUSTER_PUBLIC_URL is set', async () => {
    const env = { MUSTER_DATA: await newFolder(), DATABASE_URL: (await newDatabase()).url }
    const first = await startServerProcess(env)
    expect(await first.stop()).toBe(0)
    const credentials = await readCredentials(env.MUSTER_DATA)
    expect(credentials.MUSTER_URL).toBe(first.url)
    const MUSTER_PUBLIC_URL = 'https://muster.example.com'
    await startServerProcess({ ...env, MUSTER_PUBLIC_URL })
    expect(await readCredentials(env.MUSTER_DATA)).toEqual({ ...credentials, MUSTER_URL: MUSTER_PUBLIC_URL })
  })

  it('reports that it cannot distribute the tables if the cluster rejects a statement', async () => {
    const { url: DATABASE_URL, connection } = await newDatabase()
    // Citus seems to be installed in this database, but its tables are missing.
    await administer(connection, `create view pg_extension as select text 'citus' as extname`)
    await administer(
      connection,
      `do $$ begin
        execute format('alter database %I set search_path = public, pg_catalog', current_database());
      end $$`,
    )
    const env = { MUSTER_DATA: await newFolder(), DATABASE_URL, MUSTER_CLUSTER: 'citus' }
    const { code, stderr } = await failToStart(env)
    expect(code).toBe(1)
    expect(stderr).toMatch(/^The tables cannot be distributed across the cluster: .*pg_dist/m)
  })

  it('reports the names of all invalid settings', async () => {
    const outcome = await failToStart({ PORT: 'http', MUSTER_DATA: '/nonexistent', MUSTER_FIRST_RECORD: '2' })
    expect(outcome.code).toBe(1)
    expect(outcome.stderr).toMatch(/^PORT must be .*\nMUSTER_FIRST_RECORD must be .*\n$/)
  })
})

/** Creates a database without tables. */
async function newDatabase(): Promise<{ url: string; connection: pg.ClientConfig }> {
  const { connection } = inject('testDatabase')
  const name = `muster_test_${randomUUID().replaceAll('-', '')}`
  await administer(connection, `create database "${name}"`)
  onTestFinished(() => dropDatabase(connection, name))
  const own = atDatabase(connection, name)
  const { host, port, user } = own
  const bySocket = `postgresql:///${name}?host=${encodeURIComponent(host ?? '')}&port=${port}&user=${user}`
  return { url: own.connectionString ?? bySocket, connection: own }
}

describe('two servers on one database', () => {
  it('create one owner when started together, share its key, and finish requests unless signaled twice', async () => {
    const { url: DATABASE_URL, connection } = await newDatabase()
    const folders = [await newFolder(), await newFolder()]
    const MUSTER_MASTER_KEY = randomBytes(32).toString('base64')
    const servers = await Promise.all(
      folders.map((folder) =>
        // Disable the statement timeout, so that only the test ends the requests below, even on a slow machine.
        startServerProcess({ DATABASE_URL, MUSTER_DATA: folder, MUSTER_MASTER_KEY, MUSTER_STATEMENT_TIMEOUT: '0' }),
      ),
    )
    const found = await Promise.all(folders.map((folder) => readCredentials(folder).catch(() => undefined)))
    const [credentials] = found.filter((each) => each !== undefined)
    expect(found.filter((each) => each !== undefined)).toHaveLength(1)
    for (const { url } of servers) {
      const { body } = await sendAs(credentials!, url, me)
      expect(body.data.login.accessKeys).toHaveLength(1)
    }

    const taken = await failToStart({
      DATABASE_URL,
      MUSTER_DATA: folders[0]!,
      MUSTER_MASTER_KEY,
      PORT: new URL(servers[0]!.url).port,
    })
    expect(taken).toMatchObject({ code: 1, stderr: expect.stringMatching(/Cannot listen: port \d+ .* PORT/) })

    // A request that waits for a row lock stays in flight for as long as the test needs it.
    const holder = new pg.Client(connection)
    await holder.connect()
    await holder.query('begin; select id from account for update')
    const waiting = servers.map(({ url }) => sendAs(credentials!, url, 'mutation { createAccessKey { key } }'))
    const areWaiting = async (): Promise<number | null> => {
      // Clear the snapshot. Otherwise, the transaction would see only the connections that existed at its first query.
      await holder.query('select pg_stat_clear_snapshot()')
      const { rowCount } = await holder.query(
        `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      )
      return rowCount
    }
    await expect.poll(areWaiting).toBe(2)

    const [finishing, interrupted] = [servers[0]!, servers[1]!]
    interrupted.signal('SIGTERM')
    const cutOff = waiting[1]!.catch(() => 'cut off')
    await expect.poll(() => interrupted.stderr()).toContain('stopping')
    // Wait, because the server treats two identical signals in quick succession as one Ctrl-C that was forwarded twice.
    await sleep(500)
    expect(await interrupted.stop('SIGTERM')).toBe(143)
    expect(await cutOff).toBe('cut off')

    finishing.signal('SIGTERM')
    await expect.poll(() => finishing.stderr()).toContain('stopping')
    await holder.query('rollback')
    await holder.end()
    expect((await waiting[0]!).body.data.createAccessKey.key).toMatch(/^MK[A-Z2-7]{18}$/)
    expect(await finishing.exited).toBe(0)
  })
})
