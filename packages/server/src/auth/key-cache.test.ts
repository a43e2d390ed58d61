import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { openSite, type Reply, type Server, type Site } from '../../test/site.ts'
import { deleteAccessKey, updateAccessKey } from '../features/access-keys/access-keys.ts'

const SECOND = 1_000

/** Every server holds the key in memory before it changes. */
async function warm(servers: Server[], key: Parameters<Server['as']>[0]): Promise<void> {
  for (const server of servers) {
    for (let time = 0; time < 3; time++) expect((await server.as(key)).status).toBe(200)
  }
}

const askAll = (servers: Server[], key: Parameters<Server['as']>[0]): Promise<Reply[]> =>
  Promise.all(servers.map((server) => server.as(key)))

const reasons = (replies: Reply[]): unknown[] => replies.map(({ body }) => body.reason)

const breakListeners = (site: Site): Promise<unknown> =>
  sql`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name = 'muster access keys'`.execute(site.db)

describe('a key in memory', () => {
  it('that is disabled stops working within a second on every server, and works again when enabled', async () => {
    const site = await openSite()
    const { createKey, context } = await site.createUser()
    const key = await createKey()
    const servers = [await site.startServer(), await site.startServer()]
    await warm(servers, key)
    await updateAccessKey(context, key.key, { enabled: false })
    await sleep(SECOND)
    expect(reasons(await askAll(servers, key))).toEqual(['key-disabled', 'key-disabled'])
    await updateAccessKey(context, key.key, { enabled: true })
    await sleep(SECOND)
    expect((await askAll(servers, key)).map(({ status }) => status)).toEqual([200, 200])
  })

  it('that is deleted stops working within a second on every server', async () => {
    const site = await openSite()
    const { createKey, context } = await site.createUser()
    const key = await createKey()
    const servers = [await site.startServer(), await site.startServer()]
    await warm(servers, key)
    await deleteAccessKey(context, key.key)
    await sleep(SECOND)
    expect(reasons(await askAll(servers, key))).toEqual(['bad-signature', 'bad-signature'])
  })

  it('stops working within a second also while nothing can be heard of changes', async () => {
    const site = await openSite()
    const { createKey, context } = await site.createUser()
    const key = await createKey()
    const servers = [await site.startServer(), await site.startServer()]
    await sleep(SECOND)
    await warm(servers, key)
    await breakListeners(site)
    await updateAccessKey(context, key.key, { enabled: false })
    await sleep(SECOND)
    expect(reasons(await askAll(servers, key))).toEqual(['key-disabled', 'key-disabled'])
  })

  it('is heard of again after the connection was lost', async () => {
    const site = await openSite()
    const { createKey, context } = await site.createUser()
    const key = await createKey()
    const servers = [await site.startServer()]
    await sleep(SECOND)
    await breakListeners(site)
    await sleep(2 * SECOND)
    await warm(servers, key)
    await updateAccessKey(context, key.key, { enabled: false })
    await sleep(SECOND)
    expect(reasons(await askAll(servers, key))).toEqual(['key-disabled'])
  })

  it('stops working at its time', async () => {
    const site = await openSite()
    const expires = new Date(Date.now() + 3_600_000)
    const key = await (await site.createUser()).createKey({ expires })
    let now = new Date()
    const server = await site.startServer({ clock: () => now })
    await warm([server], key)
    now = new Date(expires.getTime() - 1)
    expect((await server.as(key)).status).toBe(200)
    now = expires
    expect((await server.as(key)).body.reason).toBe('key-expired')
  })

  it('works at once although it was asked for before it was there', async () => {
    const site = await openSite()
    const { createKey, context } = await site.createUser()
    const server = await site.startServer()
    const key = await createKey()
    const row = await site.db.selectFrom('access_key').selectAll().where('key', '=', key.key).executeTakeFirstOrThrow()
    await deleteAccessKey(context, key.key)
    await sleep(SECOND)
    expect((await server.as(key)).body.reason).toBe('bad-signature')
    await site.db.transaction().execute(async (transaction) => {
      await transaction.insertInto('access_key').values(row).execute()
      await sql`select pg_notify('muster_access_key', ${key.key})`.execute(transaction)
    })
    await sleep(SECOND)
    expect((await server.as(key)).status).toBe(200)
  })

  it('is useless in the row of another key or another user', async () => {
    const site = await openSite()
    const [mine, theirs] = [await site.createUser(), await site.createUser()]
    const server = await site.startServer()
    const [key, victim] = [await mine.createKey(), await theirs.createKey()]
    await sql`update access_key set encrypted_secret = (select encrypted_secret from access_key where key = ${key.key})
              where key = ${victim.key}`.execute(site.db)
    expect((await server.as({ ...victim, secret: key.secret })).body.reason).toBe('bad-signature')
    expect((await server.as(key)).status).toBe(200)
  })
})
