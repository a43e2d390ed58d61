import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { oneMinutePerCall } from '../../test/access/installation.ts'
import { startDatabaseProxy } from '../../test/database/database-proxy.ts'
import {
  type AuthenticationServers,
  createAuthenticationServers,
  type Server,
  type ServerOptions,
} from '../../test/harness/authentication-servers.ts'
import { deleteAccessKey, updateAccessKey } from '../features/access-keys/access-keys.ts'

const SECOND = 1_000

let site: AuthenticationServers
beforeAll(async () => {
  site = await createAuthenticationServers()
})
afterAll(() => site.close())

type Key = Parameters<Server['as']>[0]

async function startServers(count: number, options?: ServerOptions): Promise<Server[]> {
  const elapsed = oneMinutePerCall()
  const servers = await Promise.all(Array.from({ length: count }, () => site.startServer({ elapsed, ...options })))
  onTestFinished(async () => {
    for (const server of servers) await server.close()
    await expect.poll(listeners).toEqual([])
  })
  await expect.poll(listeners).toHaveLength(count)
  return servers
}

/** Returns the process IDs of the connections that listen for notifications and last ran the probe `select 1`. */
async function listeners(): Promise<number[]> {
  const { rows } = await sql<{ pid: number }>`select pid from pg_stat_activity where datname = current_database()
    and application_name = 'muster notifications' and query = 'select 1'`.execute(site.db)
  return rows.map(({ pid }) => pid)
}

async function warm(servers: Server[], key: Key): Promise<void> {
  for (const server of servers) {
    for (let time = 0; time < 3; time++) expect((await server.as(key)).status).toBe(200)
  }
}

const callAll = (servers: Server[], key: Key): Promise<unknown[]> =>
  Promise.all(servers.map(async (server) => server.as(key).then(({ status, body }) => body.reason ?? status)))

/** The timeout is shorter than the 30 seconds after which servers reload a key even without a notification. */
const POLLING = { timeout: 20_000, interval: 20 }

const untilAllReturn = (servers: Server[], key: Key, expected: unknown): Promise<void> =>
  expect.poll(() => callAll(servers, key), POLLING).toEqual(servers.map(() => expected))

describe('a cached access key', () => {
  it('stops working within a second on every server when it is disabled, and works again when enabled', async () => {
    const { createKey, context } = await site.createUser()
    const key = await createKey()
    const servers = await startServers(2)
    await warm(servers, key)
    const set = async (enabled: boolean): Promise<number> => {
      const began = performance.now()
      await updateAccessKey(context, key.key, { enabled })
      await untilAllReturn(servers, key, enabled ? 200 : 'key-disabled')
      return performance.now() - began
    }
    // Repeat the attempt, because the machine may stall.
    let took = Number.POSITIVE_INFINITY
    while (took > SECOND) took = Math.max(await set(false), await set(true))
  })

  it('stops working on every server when it is deleted', async () => {
    const { createKey, context } = await site.createUser()
    const key = await createKey()
    const servers = await startServers(2)
    await warm(servers, key)
    await deleteAccessKey(context, key.key)
    await untilAllReturn(servers, key, 'bad-signature')
  })

  it('stops working when disabled, even while notifications are lost without an error', async () => {
    const { createKey, context } = await site.createUser()
    const key = await createKey()
    const proxy = await startDatabaseProxy(site.connection)
    const servers = await startServers(2, { connection: { connectionString: proxy.url } })
    await warm(servers, key)
    proxy.freeze()
    await updateAccessKey(context, key.key, { enabled: false })
    await untilAllReturn(servers, key, 'key-disabled')
    proxy.open()
  })

  it('stops working when disabled after a lost notification connection is restored', async () => {
    const { createKey, context } = await site.createUser()
    const key = await createKey()
    const servers = await startServers(1)
    const [lost] = await listeners()
    await sql`select pg_terminate_backend(${lost}::int)`.execute(site.db)
    await expect.poll(listeners).not.toContain(lost)
    await expect.poll(listeners).toHaveLength(1)
    await warm(servers, key)
    await updateAccessKey(context, key.key, { enabled: false })
    await untilAllReturn(servers, key, 'key-disabled')
  })

  it('stops working when it expires', async () => {
    const expires = new Date(Date.now() + 3_600_000)
    const key = await (await site.createUser()).createKey({ expires })
    let now = new Date()
    const servers = await startServers(1, { clock: () => now })
    await warm(servers, key)
    now = new Date(expires.getTime() - 1)
    expect(await callAll(servers, key)).toEqual([200])
    now = expires
    expect(await callAll(servers, key)).toEqual(['key-expired'])
  })

  it('works after it is created, even if a request used it before', async () => {
    const { createKey, context } = await site.createUser()
    const servers = await startServers(1)
    const key = await createKey()
    const row = await site.db.selectFrom('access_key').selectAll().where('key', '=', key.key).executeTakeFirstOrThrow()
    await deleteAccessKey(context, key.key)
    expect(await callAll(servers, key)).toEqual(['bad-signature'])
    await site.db.transaction().execute(async (transaction) => {
      await transaction.insertInto('access_key').values(row).execute()
      await sql`select pg_notify('muster_access_key', ${key.key})`.execute(transaction)
    })
    await untilAllReturn(servers, key, 200)
  })

  it("does not work with the encrypted secret of another user's key", async () => {
    const [mine, theirs] = [await site.createUser(), await site.createUser()]
    const servers = await startServers(1)
    const [key, victim] = [await mine.createKey(), await theirs.createKey()]
    await sql`update access_key set encrypted_secret = (select encrypted_secret from access_key where key = ${key.key})
              where key = ${victim.key}`.execute(site.db)
    expect(await callAll(servers, { ...victim, secret: key.secret })).toEqual(['bad-signature'])
    expect(await callAll(servers, key)).toEqual([200])
  })
})
