import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { expect, it, onTestFinished } from 'vitest'
import { pollUntil, webhookClient } from '../../../test/api/webhooks.ts'
import { sharedTestApp } from '../../../test/harness/app.ts'
import { startReceiver } from '../../../test/harness/webhook-receiver.ts'

/** An attempt without a response fails after 15 seconds. Its retry is due only after the test has ended. */
const env = { MUSTER_WEBHOOK_ALLOW: '127.0.0.0/8', MUSTER_WEBHOOK_RETRIES: '3600' }

const app = sharedTestApp({ worker: true, env })

const LOCK = 71

/**
 * Blocks the statement that releases a webhook, before this statement locks rows. The returned function unblocks it.
 */
async function blockRelease(): Promise<() => Promise<void>> {
  await sql`create function wait_for_test() returns trigger language plpgsql as $$ begin
    if current_query() like '%set holder = null%' then perform pg_advisory_xact_lock_shared(${sql.lit(LOCK)}); end if;
    return null; end $$`.execute(app.db)
  await sql`create trigger wait_for_test before update on webhook_sending execute function wait_for_test()`.execute(
    app.db,
  )
  const isLocked = Promise.withResolvers<void>()
  const unblock = Promise.withResolvers<void>()
  const locked = app.db.transaction().execute(async (transaction) => {
    await sql`select pg_advisory_xact_lock(${sql.lit(LOCK)})`.execute(transaction)
    isLocked.resolve()
    await unblock.promise
  })
  await isLocked.promise
  return async () => {
    unblock.resolve()
    await locked
  }
}

async function isReleaseWaiting(): Promise<boolean> {
  const { rows } =
    await sql`select from pg_locks where locktype = 'advisory' and objid = ${LOCK} and not granted`.execute(app.db)
  return rows.length > 0
}

it('sends a delivery from only one server if the delivery is created while its webhook is released', async () => {
  const receiver = await startReceiver()
  onTestFinished(() => receiver.close())
  const user = await app.createUser()
  const { createWebhook, register, finishedDeliveries, deliveries } = webhookClient(user, receiver)
  const { id } = await createWebhook()
  await register('first')
  await finishedDeliveries(id)
  const unblock = await blockRelease()
  await pollUntil(isReleaseWaiting, (isWaiting) => isWaiting)

  // Attempts stay in flight because the receiver does not respond.
  receiver.respondWith(() => {})
  await register('second')
  await pollUntil(
    () => deliveries(id),
    ({ total }) => total === 2,
  )
  // Give the server time to start sending before the release ends.
  await sleep(500)
  await unblock()
  await receiver.waitFor(2)
  await pollUntil(isReleaseWaiting, (isWaiting) => !isWaiting)

  const another = await app.startAnother({ worker: true, env })
  try {
    // Each change notifies both servers, and the server that holds the webhook checks for deliveries.
    for (const name of ['a', 'b', 'c', 'd']) {
      await user.data('mutation ($id: ID!, $name: String) { updateWebhook(id: $id, name: $name) { id } }', { id, name })
      await sleep(500)
    }
    expect(receiver.received.map(({ body }) => body.data.device.name)).toEqual(['first', 'second'])
  } finally {
    await another.close()
  }
}, 300_000)
