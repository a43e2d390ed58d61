import { sql } from 'kysely'
import { pino } from 'pino'
import { expect, it, onTestFinished } from 'vitest'
import type { Database } from '../../../src/db/database.ts'
import { openDatabase } from '../../../src/db/open-database.ts'
import { buildSchema } from '../../../src/schema.ts'
import { allowLocalWebhooks, createOwnedObjects, startFailingReceiver } from '../../access/owned-objects.ts'
import { everyType } from '../../access/type-queries.ts'
import { register } from '../../api/bulk-jobs.ts'
import { sharedTestApp, type TestUser } from '../../harness/app.ts'
import { killNode, startNode } from '../nodes.ts'
import { openRouter, startReader } from './reader.ts'

const ACCOUNTS = 8

const app = sharedTestApp({ env: allowLocalWebhooks })

const list = (user: TestUser) => user.query('{ login { devices { items { name } } } }')

it('reads the lists of each account from its worker, and recovers when a worker returns', async () => {
  const { reader, places } = await startReader(app, { env: allowLocalWebhooks })
  const receiver = await startFailingReceiver()
  onTestFinished(() => receiver.close())
  const own = await createOwnedObjects(app.owner, receiver)
  const user = reader.as(app.owner)
  await expect
    .poll(async () => {
      await list(user)
      return places.at(-1)
    })
    .toBe('replica')
  const queries = everyType(buildSchema()).filter(({ field }) => !/^(Mutation|Subscription)\./.test(field))
  const documents = [...new Set(queries.map((request) => request.document(own)))].filter(
    (text) => !/^(mutation|subscription)/.test(text),
  )
  const before = places.length
  for (const document of documents) {
    const [fromWorker, fromCoordinator] = [await user.query(document), await app.owner.query(document)]
    expect([document, fromWorker.errors]).toEqual([document, fromCoordinator.errors])
  }
  expect(new Set(places.slice(before))).toEqual(new Set(['replica']))

  const users = await Promise.all(Array.from({ length: ACCOUNTS }, () => app.createUser()))
  for (const each of users) {
    await register(each, 'pump')
    // A list that is read from a worker must contain every change that was acknowledged before the request.
    expect((await list(reader.as(each))).data).toEqual({ login: { devices: { items: [{ name: 'pump' }] } } })
  }
  await killNode('worker-1')
  const results = await Promise.all(users.map((each) => list(reader.as(each))))
  expect(new Set(results.map(({ errors }) => errors?.[0]?.extensions.code))).toEqual(
    new Set([undefined, 'UNAVAILABLE']),
  )
  await startNode('worker-1')
  places.length = 0
  await expect
    .poll(async () => {
      places.length = 0
      const later = await Promise.all(users.map((each) => list(reader.as(each))))
      return later.some(({ errors }) => errors !== undefined) || places.includes('away')
    })
    .toBe(false)
  console.log(`${documents.length} queries and ${ACCOUNTS} accounts: lists are read from the workers`)
})

it('looks up the shard of an account again after a moved shard causes an error, but not after a deadlock', async () => {
  const options = { connection: app.connection, size: 1, statementTimeout: 30_000 }
  const coordinator = openDatabase(options, pino({ level: 'silent' }))
  const router = openRouter(app, { coordinator })
  onTestFinished(() => router.close())
  const choose = () => router.choose(app.owner.accountId)
  await expect.poll(choose).toBeDefined()
  const worker = (await choose())!
  // From now on, the router cannot find any shard, so it can only use the shards that it has cached.
  await coordinator.destroy()
  const deadlock = await causeDeadlock(worker)
  expect(deadlock).toMatchObject({ code: '40P01' })
  router.failed(worker, deadlock)
  expect(await choose()).toBe(worker)
  const moved = await sql`select 1 / 0`.execute(worker).catch((error: unknown) => error)
  expect(moved).toMatchObject({ code: '22012' })
  router.failed(worker, moved)
  expect(await choose()).toBeUndefined()
})

/** Makes two transactions wait for each other, and returns the error of the one that PostgreSQL rolls back. */
async function causeDeadlock(db: Database): Promise<unknown> {
  const transactions = [await db.startTransaction().execute(), await db.startTransaction().execute()]
  const lock = (key: number, by = transactions[key]!) => sql`select pg_advisory_xact_lock(${key})`.execute(by)
  await Promise.all([lock(0), lock(1)])
  const results = await Promise.allSettled([lock(0, transactions[1]), lock(1, transactions[0])])
  await Promise.all(transactions.map((transaction) => transaction.rollback().execute()))
  return results.find((result) => result.status === 'rejected')?.reason
}
