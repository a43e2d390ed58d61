import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  call,
  codeOf,
  create,
  eventsOf,
  jobOf,
  newFleet,
  newLargeFleet,
  run,
  set,
  setSite,
  start,
  until,
  valuesOf,
} from '../../../test/api/bulk-jobs.ts'
import { startTestApp, type TestApp } from '../../../test/harness/app.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp({ worker: true })
})
afterAll(() => app.close())

it('removes names in every context before it sets values, in a run and in an undo', async () => {
  const [user, ids] = await newFleet(app, 1, { site: 'oslo' })
  await set(user, ids[0]!, { net: { ssid: 'lab' } }, 'night')
  const before = [await valuesOf(user), await valuesOf(user, 'night')]
  const job = await create(user, { ids }, [
    { setAttributes: { attributes: { site: 'rome' } } },
    { setAttributes: { attributes: { net: null }, context: 'night' } },
    { setAttributes: { attributes: { net: 'flat' } } },
  ])
  expect((await run(user, job)).counts).toMatchObject({ done: 1, failed: 0 })
  expect(await valuesOf(user)).toEqual([{ site: 'rome', net: 'flat' }])
  const undo = await call(user, 'undo', job.id)
  expect(undo.counts).toMatchObject({ change: 1 })
  expect((await run(user, undo)).counts).toMatchObject({ done: 1, failed: 0 })
  expect([await valuesOf(user), await valuesOf(user, 'night')]).toEqual(before)
})

it('rejects a hardware ID that it gives to another device', async () => {
  const user = await newLargeFleet(app, 300)
  const job = await create(user, { where: 'site = oslo' }, [{ update: { hardwareId: 'same' } }])
  expect(job.counts).toMatchObject({ change: 1, rejected: 299 })
  const { items } = (await jobOf(user, job.id)) as { items: { items: { outcome: string; message: string }[] } }
  expect(items.items[0]!.outcome).toBe('CHANGE')
  expect(items.items[99]!.message).toMatch(/the job also gives the hardwareId "same" to device 80:/)
})

it('retries only devices that still match', async () => {
  const [user, ids] = await newFleet(app, 3, { site: 'oslo', keep: 'yes' })
  const job = await create(user, { where: 'keep = yes' }, [setSite('rome')])
  await set(user, ids[0]!, { keep: 'no' })
  await set(user, ids[1]!, { site: 'bergen' })
  expect((await run(user, job)).counts).toMatchObject({ done: 1, skipped: 2 })
  const retry = await call(user, 'retry', job.id, ', statuses: [SKIPPED]')
  expect(retry.counts).toMatchObject({ total: 2, change: 1, unchanged: 0, skipped: 1, pending: 1 })
  const { items } = await jobOf(user, retry.id)
  expect(items.items).toMatchObject([
    { device: { id: ids[0] }, outcome: 'UNCHANGED', status: 'SKIPPED', reason: 'NO_LONGER_MATCHES' },
    { device: { id: ids[1] }, outcome: 'CHANGE', status: 'PENDING' },
  ])
  expect((await run(user, retry)).counts).toMatchObject({ done: 1, skipped: 1, pending: 0 })
  expect((await valuesOf(user)).map(({ site }: { site: string }) => site)).toEqual(['oslo', 'rome', 'rome'])
})

it('pauses after a failure above the limit, and not again after it is resumed', async () => {
  const [user, ids] = await newFleet(app, 4)
  const { createBulk: job } = await user.data(
    `mutation ($ids: [String!]) { createBulk(target: { ids: $ids }, rate: 2, maxFailures: 0,
      operations: [{ update: { hardwareId: "H-{id}" } }]) { id token } }`,
    { ids },
  )
  await user.data(`mutation { registerDevice(name: "taken", hardwareId: "H-${ids[0]}") { device { id } } }`)
  await start(user, job)
  const paused = await until(user, job.id, 'PAUSED')
  expect(paused.stateReason).toBe('1 devices failed, more than 0')
  expect(paused.counts).toMatchObject({ failed: 1, pending: 3 })
  await call(user, 'resume', job.id, ', rate: 1')
  expect((await until(user, job.id, 'DONE')).counts).toMatchObject({ done: 3, failed: 1 })
})

it('reverts a job at most once at a time', async () => {
  const [user, ids] = await newFleet(app, 2)
  const job = await create(user, { ids }, [setSite('rome')])
  await run(user, job)
  const first = await call(user, 'undo', job.id)
  await sql`update bulk_job set previewed = previewed - interval '25 hours' where id = ${first.id}`.execute(app.db)
  const second = await call(user, 'undo', job.id)
  const conflict = ['CONFLICT', expect.stringMatching(`the bulk job ${second.id} already undoes this one`)]
  expect(await codeOf(user, `mutation { previewBulk(id: "${first.id}") { id } }`)).toEqual(conflict)
  expect(await codeOf(user, `mutation { retryBulk(id: "${first.id}") { id } }`)).toEqual(conflict)
  await run(user, second)
  const { login } = await user.data(
    `{ login { bulkJobs { items { id undoOf { id } undoneBy { id } items(size: 1) { items { status } total } } } } }`,
  )
  expect(login.bulkJobs.items).toMatchObject([
    { id: second.id, undoOf: { id: job.id }, undoneBy: null, items: { items: [{ status: 'DONE' }], total: 2 } },
    { id: first.id, undoOf: { id: job.id }, undoneBy: null, items: { items: [{ status: 'PENDING' }], total: 2 } },
    { id: job.id, undoOf: null, undoneBy: { id: second.id }, items: { items: [{ status: 'DONE' }], total: 2 } },
  ])
})

it('changes each device once while two servers work on its job, and it is paused, resumed, and canceled', async () => {
  const other = await app.startAnother({ worker: true })
  const user = await newLargeFleet(app, 900)
  const job = await create(user, { where: 'site = oslo' }, [setSite('rome')], { rate: 10_000 })
  await start(user, job)
  for (let times = 0; times < 5; times++) {
    await Promise.allSettled([call(user, 'pause', job.id), call(other.as(user), 'resume', job.id)])
    await call(other.as(user), 'resume', job.id).catch(() => {})
  }
  await user.query(`mutation { cancelBulk(id: "${job.id}") { id } }`)
  const ended = await jobOf(user, job.id)
  expect(['CANCELED', 'DONE']).toContain(ended.state)
  await other.close()
  const { rows } = await sql<{ status: string; count: number; events: number }>`
    select status, count(*)::int as count, sum(cardinality(event_ids))::int as events from bulk_item
    where job_id = ${job.id} and status = 'DONE' group by status`.execute(app.db)
  const done = rows[0]?.count ?? 0
  expect(ended.counts).toMatchObject({ done, pending: 900 - done })
  expect(rows[0]?.events ?? 0).toBe(done)
  const events = await eventsOf(user, ['ATTRIBUTE_CHANGE'])
  expect(new Set(events.map(({ target }: { target: { id: string }[] }) => target[0]!.id)).size).toBe(done)
  expect(events).toHaveLength(done)
  expect(await eventsOf(user, ['BULK_FINISH'])).toMatchObject([{ data: { state: ended.state } }])
})
