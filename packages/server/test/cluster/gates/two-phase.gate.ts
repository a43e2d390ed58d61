import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { sharedTestApp } from '../../harness/app.ts'
import { followFeed, readStored } from './load.ts'

const CLIENTS = 12
const TRANSACTIONS = 150

const app = sharedTestApp()

/**
 * Changes a person in a transaction. The table `person` is on every node, so the transaction uses a two-phase commit.
 */
const changePerson = (accountId: string, time: number) =>
  app.db.transaction().execute(async (transaction) => {
    await sql`update account set name = ${String(time)} where id = ${accountId}`.execute(transaction)
    await sql`update person set name = ${String(time)} where id = ${accountId}`.execute(transaction)
    await sql`insert into event (account_id, type, targets) values (${accountId}, 'ACCOUNT_UPDATE', '[]')`.execute(
      transaction,
    )
  })

it('misses no event of transactions that commit in two phases', async () => {
  const { rows } = await sql<{ fsync: string }>`show fsync`.execute(app.db)
  expect(rows).toEqual([{ fsync: 'on' }])
  const follower = await followFeed(app)
  const users = await Promise.all(Array.from({ length: CLIENTS }, () => app.createUser()))
  await Promise.all(
    users.map(async ({ accountId }) => {
      for (let time = 0; time < TRANSACTIONS; time++) {
        await changePerson(accountId, time)
        follower.feed.wake()
      }
    }),
  )
  const stored = await readStored(app, follower.start)
  expect(stored.length).toBeGreaterThanOrEqual(CLIENTS * TRANSACTIONS)
  await expect.poll(() => follower.received.length).toBe(stored.length)
  expect(follower.received).toEqual(stored.map(({ id }) => id))
  await follower.close()
  console.log(`${CLIENTS * TRANSACTIONS} commits in two phases: ${stored.length} events, 0 missed`)
})
