import { sql } from 'kysely'
import { expect, it, onTestFinished } from 'vitest'
import { pollUntil } from '../test/api/webhooks.ts'
import { newPerson, signIn } from '../test/clients/browser.ts'
import { startTestApp } from '../test/harness/app.ts'
import { dropSignInsJob } from './auth/auth.jobs.ts'
import { dropIdempotencyRecordsJob } from './features/idempotency/idempotency.jobs.ts'
import { dropCodesJob } from './features/registration-codes/registration-codes.jobs.ts'
import { insertDeliveries } from './features/webhooks/fan-out/fan-out.queries.ts'
import { dropDeliveriesJob } from './features/webhooks/webhooks.jobs.ts'
import { putJobs } from './jobs/queue.queries.ts'

const YEAR_MS = 366 * 86_400_000

it("keeps records that have not expired by the database's clock if the server's clock is a year ahead", async () => {
  const app = await startTestApp()
  onTestFinished(app.close)
  await signIn(app, await newPerson(app))
  await app.owner.data('mutation { createRegistrationCode(name: "gates") { code } }')
  const { createWebhook } = await app.owner.data('mutation { createWebhook(url: "https://hooks.invalid/") { id } }')
  const address = { accountId: app.owner.accountId, webhookId: createWebhook.id }
  await insertDeliveries(app.db, [{ ...address, id: 'young', eventId: '1', body: '{}' }])

  const record = { account_id: app.owner.accountId, caller: 'c', fingerprint: Buffer.from('x') }
  const created = { created_kind: 'device', created_id: 'x' }
  await app.db
    .insertInto('idempotency_record')
    .values([
      { ...record, ...created, key: 'young', expires: new Date(Date.now() + 60_000) },
      { ...record, ...created, key: 'expired', expires: new Date(Date.now() - 60_000) },
    ])
    .execute()

  const ahead = await app.startAnother({ worker: true, clock: () => new Date(Date.now() + YEAR_MS) })
  onTestFinished(ahead.close)
  const jobs = [dropSignInsJob, dropCodesJob, dropDeliveriesJob, dropIdempotencyRecordsJob]
  for (const job of jobs) await putJobs(app.db, job, [{ key: job.name, payload: undefined, delay: 0 }])
  const waiting = sql`select from graphile_worker.jobs where key = any(${jobs.map(({ name }) => name)}::text[])`
  await pollUntil(
    () => waiting.execute(app.db),
    ({ rows }) => rows.length === 0,
  )

  expect(await app.db.selectFrom('session').selectAll().execute()).toHaveLength(1)
  expect(await app.db.selectFrom('registration_code').select('name').execute()).toEqual([{ name: 'gates' }])
  expect(await app.db.selectFrom('webhook_delivery').select('id').where('id', '=', 'young').execute()).toHaveLength(1)
  expect(await app.db.selectFrom('idempotency_record').select('key').execute()).toEqual([{ key: 'young' }])
})
