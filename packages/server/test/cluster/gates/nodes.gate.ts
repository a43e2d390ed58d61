import { expect, it, onTestFinished } from 'vitest'
import { buildSchema } from '../../../src/schema.ts'
import { allowLocalWebhooks, createOwnedObjects, startFailingReceiver } from '../../access/owned-objects.ts'
import { everyType } from '../../access/type-queries.ts'
import { register } from '../../api/bulk-jobs.ts'
import { sharedTestApp, type TestUser } from '../../harness/app.ts'
import { killNode, startNode } from '../nodes.ts'
import { startReader } from './reader.ts'

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
