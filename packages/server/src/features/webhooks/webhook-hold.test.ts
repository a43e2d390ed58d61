import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { pollUntil, webhookClient } from '../../../test/api/webhooks.ts'
import { startTestApp, type TestApp } from '../../../test/harness/app.ts'
import { startReceiver } from '../../../test/harness/webhook-receiver.ts'

const env = { MUSTER_WEBHOOK_ALLOW: '127.0.0.0/8' }

let app: TestApp
beforeAll(async () => {
  app = await startTestApp({ worker: true, env })
})
afterAll(() => app.close())

const LOCK = 71

/** Has the statement that lets go of a webhook wait in the database before it locks anything, until what is answered is called. */
async function delayLettingGo(): Promise<() => Promise<void>> {
  await sql`create function wait_for_test() returns trigger language plpgsql as $$ begin
    if current_query() like '%set holder = null%' then perform pg_advisory_xact_lock_shared(${sql.lit(LOCK)}); end if;
    return null; end $$`.execute(app.db)
  await sql`create trigger wait_for_test before update on webhook_sending execute function wait_for_test()`.execute(
    app.db,
  )
  const isHeld = Promise.withResolvers<void>()
  const goOn = Promise.withResolvers<void>()
  const held = app.db.transaction().execute(async (transaction) => {
    await sql`select pg_advisory_xact_lock(${sql.lit(LOCK)})`.execute(transaction)
    isHeld.resolve()
    await goOn.promise
  })
  await isHeld.promise
  return async () => {
    goOn.resolve()
    await held
  }
}

async function isSomeoneWaiting(): Promise<boolean> {
  const { rows } =
    await sql`select from pg_locks where locktype = 'advisory' and objid = ${LOCK} and not granted`.execute(app.db)
  return rows.length > 0
}

it('a webhook that is let go of while it gets something to send is not sent to by two servers', async () => {
  const receiver = await startReceiver()
  onTestFinished(() => receiver.close())
  const user = await app.createUser()
  const { createWebhook, register, finishedDeliveries, deliveries } = webhookClient(user, receiver)
  const { id } = await createWebhook()
  await register('first')
  await finishedDeliveries(id)
  const goOn = await delayLettingGo()
  await pollUntil(isSomeoneWaiting, (isWaiting) => isWaiting)

  // Nobody gets an answer, so that what is under way stays so.
  receiver.respondWith(() => {})
  await register('second')
  await pollUntil(
    () => deliveries(id),
    ({ total }) => total === 2,
  )
  // Time for the server to begin although it has not let go yet.
  await sleep(500)
  await goOn()
  await receiver.waitFor(2)
  await pollUntil(isSomeoneWaiting, (isWaiting) => !isWaiting)

  const another = await app.startAnother({ worker: true, env })
  try {
    // Both servers hear of each change, once the other one listens, and whoever may send has a look.
    for (const name of ['a', 'b', 'c', 'd']) {
      await user.data('mutation ($id: ID!, $name: String) { updateWebhook(id: $id, name: $name) { id } }', { id, name })
      await sleep(500)
    }
    expect(receiver.received.map(({ body }) => body.data.device.name)).toEqual(['first', 'second'])
  } finally {
    await another.close()
  }
}, 300_000)
