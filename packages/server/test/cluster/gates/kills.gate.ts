import { sql } from 'kysely'
import { expect, it, vi } from 'vitest'
import { drawEventIds } from '../../../src/features/events/record.ts'
import { register } from '../../api/bulk-jobs.ts'
import { sharedTestApp } from '../../harness/app.ts'
import { killNode, nodeNames, startNode } from '../nodes.ts'
import { collectErrors, startLoad } from './load.ts'

const KILLS = 20
/** The minimum number of changes that each writer makes between two kills. */
const CHANGES = 3

const { log, errors } = collectErrors()
const app = sharedTestApp({ log })

it(`loses no change and misses no event during ${KILLS} kills of nodes`, async () => {
  const load = await startLoad(app, errors)
  for (let time = 0; time < KILLS; time++) {
    const node = nodeNames[time % nodeNames.length]!
    await load.progress(CHANGES)
    await killNode(node)
    await startNode(node)
  }
  await load.progress(CHANGES)
  console.log(`${KILLS} kills of nodes: ${await load.finish()}`)
})

it('assigns increasing event IDs after the coordinator loses its last writes', async () => {
  const user = await app.createUser()
  for (let time = 0; time < 5; time++) {
    // Most of the time, PostgreSQL has not yet saved to disk which event IDs the open transaction has received.
    const unsaved = new Promise<string[]>((resolve, reject) => {
      app.db
        .transaction()
        .execute(async (transaction) => {
          resolve((await drawEventIds(transaction, 1_000)).ids)
          await sql`select pg_sleep(60)`.execute(transaction)
        })
        .catch(reject)
    })
    const last = BigInt((await unsaved).at(-1)!)
    await killNode('coordinator')
    await startNode('coordinator')
    await vi.waitFor(() => register(user, `pump ${time}`), { timeout: 30_000, interval: 100 })
    const { login } = await user.data('{ login { events(size: 1) { items { id } } } }')
    expect(BigInt(login.events.items[0].id)).toBeGreaterThan(last)
  }
})
