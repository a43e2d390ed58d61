import { sql } from 'kysely'
import { pino } from 'pino'
import { beforeAll, expect, it, onTestFinished } from 'vitest'
import { allowLocalWebhooks, createOwnedObjects, startFailingReceiver } from '../../../test/access/owned-objects.ts'
import { everyType } from '../../../test/access/type-queries.ts'
import { sharedTestApp, type TestUser } from '../../../test/harness/app.ts'
import { buildSchema } from '../../schema.ts'
import { openDatabase } from '../open-database.ts'
import type { ReadRouter } from '../replica/read-router.ts'
import { readOnShard } from './read-on-shard.ts'
import { placedTables } from './table-placements.ts'

const log = pino({ level: 'silent' })
const time = new Date()
const options = { env: allowLocalWebhooks, clock: () => time }
const app = sharedTestApp(options)

/** Creates the Citus catalog tables that the rewritten statements read, with two shards on this node. */
beforeAll(async () => {
  await sql`create table pg_dist_placement (shardid bigint, groupid int)`.execute(app.db)
  await sql`create table pg_dist_local_group (groupid int)`.execute(app.db)
  await sql`insert into pg_dist_placement values (7, 2), (8, 2)`.execute(app.db)
  await sql`insert into pg_dist_local_group values (2)`.execute(app.db)
})

/**
 * Starts a second server, which reads lists from the shard. Returns the errors of the reads, the rewritten statements,
 * and a user who sends requests to the second server.
 */
async function readFromShard(id: string, tableOf: (name: string) => string = (name) => name) {
  const shard = { id, node: '2', tables: Object.fromEntries(placedTables.map((name) => [name, tableOf(name)])) }
  const sent: string[] = []
  const db = openDatabase(
    {
      connection: app.connection,
      size: 4,
      statementTimeout: 30_000,
      fairness: {
        ...app.config,
        rewriteQuery(text) {
          const rewritten = readOnShard(text, shard)
          if (rewritten !== text) sent.push(rewritten)
          return rewritten
        },
      },
    },
    log,
  )
  const failures: unknown[] = []
  const readRouter: ReadRouter = {
    choose: async () => db,
    failed: (_, error) => failures.push(error),
    close: async () => {},
  }
  const reader = await app.startAnother({ ...options, readRouter })
  onTestFinished(async () => {
    await reader.close()
    await db.destroy()
  })
  return { user: reader.as(app.owner), failures, sent }
}

/** Returns the data and errors, without URLs, which contain the server's port. */
async function resultOf(user: TestUser, document: string): Promise<unknown> {
  const { data, errors } = await user.query(document)
  return JSON.parse(JSON.stringify({ data, errors }).replaceAll(/"http:[^"]*"/g, '""'))
}

const list = (user: TestUser) => user.data('{ login { devices { items { name } } } }')

it('reads the same from a shard as without one, for each query of the API', async () => {
  const receiver = await startFailingReceiver()
  onTestFinished(() => receiver.close())
  const own = await createOwnedObjects(app.owner, receiver)
  const { user, failures, sent } = await readFromShard('7')
  const documents = everyType(buildSchema())
    .filter(({ field }) => !/^(Mutation|Subscription)\./.test(field))
    .map((request) => request.document(own))
    .filter((text) => !/^(mutation|subscription)/.test(text))
  for (const document of new Set(documents)) {
    expect([document, await resultOf(user, document)]).toEqual([document, await resultOf(app.owner, document)])
  }
  expect(failures).toEqual([])
  expect(sent.length).toBeGreaterThan(50)
})

it('reads from the primary if the shard has moved or its tables are missing', async () => {
  const expected = await list(app.owner)
  const { user, failures } = await readFromShard('8')
  expect(await list(user)).toEqual(expected)
  expect(failures).toEqual([])
  await sql`update pg_dist_placement set groupid = 1 where shardid = 8`.execute(app.db)
  expect(await list(user)).toEqual(expected)
  expect(failures).toEqual([expect.objectContaining({ code: '22012' })])
  const dropped = await readFromShard('7', (name) => `${name}_7`)
  expect(await list(dropped.user)).toEqual(expected)
  expect(dropped.failures).toEqual([expect.objectContaining({ code: '42P01' })])
})
