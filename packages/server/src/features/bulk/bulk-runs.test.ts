import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  call,
  codeOf,
  create,
  createText,
  eventsOf,
  jobOf,
  newFleet,
  newLargeFleet,
  register,
  run,
  set,
  setSite,
  start,
  until,
  valuesOf,
} from '../../../test/api/bulk-jobs.ts'
import { startTestApp, type TestApp } from '../../../test/harness/app.ts'
import { sendAs } from '../../../test/harness/server-process.ts'
import { dropBulkJobs } from './bulk.jobs.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp({ worker: true })
})
afterAll(() => app.close())

const fleet = (count: number, attributes?: object) => newFleet(app, count, attributes)

describe('a running bulk job', () => {
  it('can be paused, resumed at another rate, and canceled, and records an event for each changed device', async () => {
    const user = await newLargeFleet(app, 900)
    const job = await create(user, { where: 'site = oslo' }, [setSite('rome')], { rate: 1 })
    await start(user, job)
    expect((await call(user, 'pause', job.id)).state).toBe('PAUSED')
    expect((await call(user, 'pause', job.id)).state).toBe('PAUSED')
    expect((await call(user, 'resume', job.id, ', rate: 2')).state).toBe('RUNNING')
    const canceled = await call(user, 'cancel', job.id)
    expect(canceled.state).toBe('CANCELED')
    const events = (await eventsOf(user, ['ATTRIBUTE_CHANGE'])).filter((event: { job: string }) => event.job === job.id)
    expect(events).toHaveLength((await jobOf(user, job.id)).counts.done)
    expect((await codeOf(user, `mutation { resumeBulk(id: "${job.id}") { id } }`))[0]).toBe('CONFLICT')
  })

  it('pauses when the key that started it is disabled', async () => {
    const user = await newLargeFleet(app, 900)
    const { createAccessKey } = await user.data('mutation { createAccessKey { key secret } }')
    const job = await create(user, { where: 'site = oslo' }, [setSite('rome')], { rate: 1 })
    await start(user, job)
    await sql`update bulk_job set starter = jsonb_set(starter, '{accessKey}', to_jsonb(${createAccessKey.key}::text))
      where id = ${job.id}`.execute(app.db)
    await user.data(`mutation { updateAccessKey(key: "${createAccessKey.key}", enabled: false) { key } }`)
    const paused = await until(user, job.id, 'PAUSED')
    expect(paused.stateReason).toMatch(/\(reason: key-disabled\): correct the key, or/)
    await call(user, 'resume', job.id, ', rate: 10000')
    expect((await until(user, job.id, 'DONE')).counts.done).toBe(900)
  })

  it('records a device that fails, and changes the other devices', async () => {
    const [user, ids] = await fleet(3)
    const job = await create(user, { ids }, [{ update: { hardwareId: 'H-{id}' } }], { rate: 1 })
    await user.data(`mutation { registerDevice(name: "taken", hardwareId: "H-${ids[1]}") { device { id } } }`)
    const done = await run(user, job)
    expect(done.counts).toMatchObject({ done: 2, failed: 1 })
    expect(done.items.items[1]).toMatchObject({
      status: 'FAILED',
      code: 'CONFLICT',
      message: expect.stringMatching(/in use/),
    })
  })

  it('deletes devices, and cannot be undone', async () => {
    const [user] = await fleet(3)
    const job = await create(user, { where: 'site = oslo' }, [{ delete: { force: true } }])
    expect(job.isUndoable).toBe(false)
    expect((await run(user, job)).counts.done).toBe(3)
    expect(await valuesOf(user)).toEqual([])
    expect(await eventsOf(user, ['DEVICE_DELETE'])).toMatchObject([1, 2, 3].map(() => ({ job: job.id })))
    expect((await codeOf(user, `mutation { undoBulk(id: "${job.id}") { id } }`))[0]).toBe('CONFLICT')
  })
})

describe('undoing a bulk job', () => {
  it('restores base values, overrides, removed names, and groups, and keeps later values', async () => {
    const [user, ids] = await fleet(2, { site: 'oslo', gone: 'x', net: { ssid: 'lab', ip: '::1' } })
    await set(user, ids[0]!, { site: 'night' }, 'night')
    const before = [await valuesOf(user), await valuesOf(user, 'night')]
    const operations = [
      { setAttributes: { attributes: { site: 'rome', gone: null, net: null, added: 'y' } } },
      { setAttributes: { attributes: { net: 'flat' } } },
      setSite('dusk', 'night'),
      { update: { platform: 'linux' } },
    ]
    const job = await create(user, { where: 'id:*' }, operations)
    await run(user, job)
    const after = [await valuesOf(user), await valuesOf(user, 'night')]
    expect(after[0]![0]).toEqual({ site: 'rome', net: 'flat', added: 'y' })

    const undo = await call(user, 'undo', job.id)
    expect(undo).toMatchObject({ state: 'READY', counts: { total: 2, change: 2 } })
    expect((await codeOf(user, `mutation { undoBulk(id: "${job.id}") { id } }`))[0]).toBe('CONFLICT')
    await run(user, undo)
    expect([await valuesOf(user), await valuesOf(user, 'night')]).toEqual(before)
    expect((await jobOf(user, job.id)).undoneBy).toEqual({ id: undo.id })
    expect(await eventsOf(user, ['BULK_UNDO'])).toMatchObject([{ data: { job: job.id } }])

    const redo = await call(user, 'undo', undo.id)
    await run(user, redo)
    expect([await valuesOf(user), await valuesOf(user, 'night')]).toEqual(after)

    await set(user, ids[0]!, { site: 'later' })
    const partly = await call(user, 'undo', redo.id)
    const { items } = await jobOf(user, partly.id)
    expect(items.items.map(({ reason }: { reason: string }) => reason)).toEqual(['CHANGED_SINCE', null])
    await run(user, partly)
    expect((await valuesOf(user))[0]).toEqual({ ...before[0]![0], site: 'later' })
  })
})

describe('the preview of new devices', () => {
  it('lists them once it has checked them, and checks them again in the next preview', async () => {
    const user = await app.createUser()
    const csv = 'name,hardwareId\none,H-1\ntwo,H-2\nthree,\n'
    const job = await create(user, { csv, register: true }, [], { open: true })
    expect((await jobOf(user, job.id)).items).toEqual({ items: [], total: 0 })
    const { registerDevice } = await user.data(
      'mutation { registerDevice(name: "other", hardwareId: "H-2") { device { id } } }',
    )
    const named = await register(user, 'three')
    await call(user, 'preview', job.id)
    const first = await jobOf(user, job.id)
    expect(first).toMatchObject({ state: 'READY', counts: { total: 3, rejected: 2, pending: 1 }, items: { total: 3 } })
    const messages = first.items.items.map(({ message }: { message: string | null }) => message).sort()
    expect(messages).toEqual([
      'a device with the name "three" now exists, so the job does not register another: to update the device, create another job',
      'hardwareId "H-2" is in use by another of your devices',
      null,
    ])
    for (const id of [registerDevice.device.id, named])
      await user.data('mutation ($id: String!) { deleteDevice(deviceId: $id) }', { id })
    await call(user, 'preview', job.id)
    const second = await jobOf(user, job.id)
    expect(second.counts).toMatchObject({ total: 3, rejected: 0, pending: 3 })
    const done = await run(user, second)
    expect(done.counts).toMatchObject({ done: 3 })
    expect(
      (await eventsOf(user, ['DEVICE_REGISTER'])).filter(({ job: id }: { job: string | null }) => id !== null),
    ).toHaveLength(3)
  })

  it('rejects a hardware ID that another row gives to a device', async () => {
    const user = await app.createUser()
    const id = await register(user, 'old')
    const job = await create(user, { csv: `id,name,hardwareId\n${id},,H-1\n,new,H-1\n`, register: true }, [])
    expect(job.counts).toMatchObject({ total: 2, rejected: 1, pending: 1 })
    const { items } = (await jobOf(user, job.id)).items
    expect(items.filter(({ code }: { code: string | null }) => code !== null)).toMatchObject([
      {
        code: 'CONFLICT',
        message: expect.stringMatching(/^the job gives the hardwareId "H-1" to this device and to device 80:/),
      },
    ])
  })
})

describe('a bulk job whose preview fails in the request', () => {
  /** Makes the first attempt to finish a preview fail. Later attempts succeed. */
  const withFailure = async (work: () => Promise<void>): Promise<void> => {
    await sql`create sequence preview_attempts`.execute(app.db)
    await sql`create function fail_first_preview() returns trigger language plpgsql as $$ begin
      if nextval('preview_attempts') = 1 then raise exception 'canceled' using errcode = '57014'; end if;
      return new; end $$`.execute(app.db)
    await sql`create trigger fail_first_preview before update on bulk_job for each row
      when (old.state = 'PREVIEWING' and new.state = 'READY') execute function fail_first_preview()`.execute(app.db)
    try {
      await work()
    } finally {
      await sql`drop function fail_first_preview cascade`.execute(app.db)
      await sql`drop sequence preview_attempts`.execute(app.db)
    }
  }

  it('is returned with its ID, and the worker finishes the preview', async () => {
    const [user, ids] = await fleet(2)
    await withFailure(async () => {
      const job = await create(user, { ids }, [setSite('rome')])
      expect(job.state).toBe('PREVIEWING')
      expect((await until(user, job.id, 'READY')).counts).toMatchObject({ change: 2 })
    })
    const [job] = (await user.data('{ login { bulkJobs { items { id token } } } }')).login.bulkJobs.items
    await run(user, job)
    await withFailure(async () => {
      const undo = await call(user, 'undo', job.id)
      expect(undo.state).toBe('PREVIEWING')
      expect((await until(user, undo.id, 'READY')).counts).toMatchObject({ change: 2 })
    })
  })
})

describe('bulk jobs', () => {
  it('can be created open, extended, and listed, and are limited in number', async () => {
    const [user, ids] = await fleet(2)
    const open = await create(user, { ids: [ids[0]] }, [setSite('rome')], { open: true })
    expect(open).toMatchObject({ state: 'DRAFT', token: null })
    await call(user, 'append', open.id, `, ids: ["${ids[1]}"]`)
    expect((await codeOf(user, `mutation { appendBulk(id: "${open.id}", ids: ["${ids[1]}"]) { id } }`))[1]).toMatch(
      /already contains/,
    )
    expect(await call(user, 'preview', open.id)).toMatchObject({ state: 'READY', counts: { total: 2, change: 2 } })
    const drafts: string[] = []
    for (let index = 0; index < 19; index++) drafts.push((await create(user, { ids: [ids[0]] }, [setSite('x')])).id)
    expect((await codeOf(user, createText, { target: { ids }, operations: [setSite('x')] }))[0]).toBe('LIMIT_EXCEEDED')
    const { login } = await user.data(
      `{ login { bulkJobs(size: 2) { items { id } total hasMore cursor } draft: bulkJobs(state: [DRAFT]) { total } } }`,
    )
    expect(login).toMatchObject({
      bulkJobs: { items: [{ id: drafts[18] }, { id: drafts[17] }], total: 20, hasMore: true },
      draft: { total: 0 },
    })
    const next = await user.data(`{ login { bulkJobs(size: 1, after: "${login.bulkJobs.cursor}") { items { id } } } }`)
    expect(next.login.bulkJobs.items).toEqual([{ id: drafts[16] }])
    const page = await user.data(
      `{ login { bulkJob(id: "${open.id}") { items(size: 1, outcome: [CHANGE]) { items { device { id } } cursor total } } } }`,
    )
    expect(page.login.bulkJob[0].items).toMatchObject({ items: [{ device: { id: ids[0] } }], total: 2 })
  })

  it('are deleted with their items 30 days after they end, and expire a day after their preview', async () => {
    const [user, ids] = await fleet(2)
    const job = await create(user, { ids }, [setSite('rome')])
    await run(user, job)
    const ready = await create(user, { ids }, [setSite('bergen')])
    const inDays = (days: number) => new Date(Date.now() + days * 86_400_000)
    await dropBulkJobs(app.db, inDays(2))
    expect((await jobOf(user, job.id)).counts.done).toBe(2)
    expect((await jobOf(user, ready.id)).state).toBe('EXPIRED')
    await dropBulkJobs(app.db, inDays(31))
    expect(await jobOf(user, job.id)).toBeUndefined()
    const { rows } = await sql`select from bulk_item where account_id = ${user.accountId}`.execute(app.db)
    expect(rows).toEqual([])
  })

  it('are listed after a cursor whose job has been deleted', async () => {
    const [user, ids] = await fleet(1)
    const older = await create(user, { ids }, [setSite('rome')])
    const newer = await create(user, { ids }, [setSite('bergen')])
    await run(user, newer)
    const page = 'items { id } hasMore cursor'
    const first = (await user.data(`{ login { bulkJobs(size: 1) { ${page} } } }`)).login.bulkJobs
    expect(first).toMatchObject({ items: [{ id: newer.id }], hasMore: true })
    await sql`update bulk_job set finished = now() - interval '31 days' where id = ${newer.id}`.execute(app.db)
    await dropBulkJobs(app.db, new Date())
    const listAfter = (after: string) => `query { login { bulkJobs(after: ${JSON.stringify(after)}) { ${page} } } }`
    const next = (await user.data(listAfter(first.cursor))).login.bulkJobs
    expect(next).toMatchObject({ items: [{ id: older.id }], hasMore: false })
    for (const unknown of [newer.id, '\0']) expect((await codeOf(user, listAfter(unknown)))[0]).toBe('NOT_FOUND')
  })

  it('record a device as failed if the server cannot change it', async () => {
    const [user, ids] = await fleet(2)
    const job = await create(user, { ids }, [setSite('rome')])
    await sql`update bulk_item set changes = jsonb_set(changes, '{setAttributes}', '1')
      where job_id = ${job.id} and device_id = ${ids[0]}`.execute(app.db)
    const done = await run(user, job)
    expect(done.counts).toMatchObject({ done: 1, failed: 1 })
    expect(done.items.items[0]).toMatchObject({ status: 'FAILED', code: 'INTERNAL' })
  })
})

it('creates, retries, or undoes a job only once if a request with an Idempotency-Key is repeated', async () => {
  const [user, ids] = await newFleet(app, 2)
  const credentials = { MUSTER_ACCESS_KEY_ID: user.keyId, MUSTER_SECRET_ACCESS_KEY: user.secret }
  const send = async (key: string, query: string, variables: Record<string, unknown> = {}) => {
    const headers = { 'idempotency-key': JSON.stringify(key), accept: 'application/graphql-response+json' }
    return (await sendAs(credentials, app.url, { query, variables }, headers)).body
  }
  const repeat = async (key: string, query: string, variables: Record<string, unknown> = {}) => {
    const first = await send(key, query, variables)
    expect(await send(key, query, variables)).toEqual(first)
    return first
  }
  const input = { target: { ids }, operations: [setSite('rome')] }
  const { data } = await repeat('create', createText, input)
  expect(data.createBulk).toMatchObject({ state: 'READY', counts: { change: 2 } })
  await run(user, data.createBulk)
  const { id } = data.createBulk
  const undone = await repeat('undo', `mutation { undoBulk(id: "${id}") { id state counts { change } } }`)
  expect(undone.data.undoBulk).toMatchObject({ state: 'READY', counts: { change: 2 } })
  await repeat('retry', `mutation { retryBulk(id: "${id}") { id state } }`)
  const runText = `mutation ($target: BulkTargetInput!, $operations: [BulkOperationInput!]!, $expected: Int!) {
    runBulk(target: $target, operations: $operations, expected: $expected) { id } }`
  const { errors } = await send('run', runText, { ...input, expected: 1 })
  expect(errors[0].extensions).toEqual({ code: 'CONFLICT' })
  expect((await user.data('{ login { bulkJobs { total } } }')).login.bulkJobs.total).toBe(3)
})
