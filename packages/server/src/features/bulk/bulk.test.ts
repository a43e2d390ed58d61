import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp, type TestUser } from '../../../test/harness/app.ts'
import { dropBulkJobs } from './bulk.jobs.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp({ worker: true })
})
afterAll(() => app.close())

const fields = `id state stateReason token isUndoable
  counts { total change unchanged rejected pending done failed skipped }`

async function register(user: TestUser, name: string, attributes: object = {}): Promise<string> {
  const { registerDevice } = await user.data(
    'mutation ($name: String!, $attributes: Object) { registerDevice(name: $name, attributes: $attributes) { device { id } } }',
    { name, attributes },
  )
  return registerDevice.device.id
}

/** Registers devices with the value `site` oslo. */
async function fleet(count: number, attributes: object = { site: 'oslo' }): Promise<[TestUser, string[]]> {
  const user = await app.createUser()
  const ids: string[] = []
  for (let index = 0; index < count; index++) ids.push(await register(user, `gate ${index}`, attributes))
  return [user, ids.sort()]
}

/** Adds devices with the value `site` oslo to a new user, faster than by registration. */
async function largeFleet(count: number): Promise<TestUser> {
  const user = await app.createUser()
  await sql`insert into device (account_id, id, name, attributes)
    select ${user.accountId}, '80:00:00:00:00:01:' || substr(number, 1, 2) || ':' || substr(number, 3, 2), 'node ' || number,
      '{"site": "oslo"}'
    from generate_series(1, ${count}::int) as i cross join lateral (select lpad(to_hex(i), 4, '0') as number) as named`.execute(
    app.db,
  )
  await sql`insert into device_live (account_id, device_id) select account_id, id from device
    where account_id = ${user.accountId}`.execute(app.db)
  return user
}

const createText = `mutation ($target: BulkTargetInput!, $operations: [BulkOperationInput!]!, $rate: Int, $open: Boolean! = false) {
  createBulk(target: $target, operations: $operations, rate: $rate, open: $open) { ${fields} } }`

async function create(user: TestUser, target: object, operations: object[], more: object = {}) {
  return (await user.data(createText, { target, operations, ...more })).createBulk
}

const setSite = (site: string | null, context?: string) => ({ setAttributes: { attributes: { site }, context } })

async function call(user: TestUser, verb: string, id: string, more = '') {
  return (await user.data(`mutation { ${verb}Bulk(id: "${id}"${more}) { ${fields} } }`))[`${verb}Bulk`]
}

const start = (user: TestUser, { id, token }: { id: string; token: string }) =>
  call(user, 'start', id, `, token: "${token}"`)

async function jobOf(user: TestUser, id: string) {
  const { login } = await user.data(
    `{ login { bulkJob(id: "${id}") { ${fields} progress finished undoneBy { id }
      items { items { device { id name } outcome status reason changes code message eventIds } total } } } }`,
  )
  return login.bulkJob[0]
}

async function until(user: TestUser, id: string, state: string) {
  for (;;) {
    const job = await jobOf(user, id)
    if (job.state === state) return job
    if (['DONE', 'FAILED', 'CANCELED'].includes(job.state))
      throw new Error(`the job is ${job.state}: ${job.stateReason}`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

const run = async (user: TestUser, job: { id: string; token: string }) => {
  await start(user, job)
  return until(user, job.id, 'DONE')
}

const set = (user: TestUser, id: string, attributes: object, context?: string) =>
  user.data(
    'mutation ($id: String!, $attributes: Object!, $context: String) { setAttributes(serviceId: $id, attributes: $attributes, context: $context) }',
    { id, attributes, context },
  )

async function valuesOf(user: TestUser, context?: string) {
  const { login } = await user.data(
    'query ($context: String) { login { devices(sort: "id") { items { id attributes(context: $context) } } } }',
    { context },
  )
  return login.devices.items.map(({ attributes }: { attributes: object }) => attributes)
}

async function eventsOf(user: TestUser, types: string[]) {
  const { login } = await user.data(
    `query ($types: [EventType!]) { login { events(types: $types, size: 1000) { items {
      id type job source { kind id } actor { id } target { id } data } } } }`,
    { types },
  )
  return login.events.items
}

const codeOf = async (user: TestUser, document: string, variables: object = {}) => {
  const { errors } = await user.query(document, { ...variables })
  return [errors?.[0]?.extensions.code, errors?.[0]?.message]
}

describe('a preview', () => {
  it('shows old and new values, changes nothing, and runs exactly as shown', async () => {
    const [user, ids] = await fleet(3)
    await set(user, ids[1]!, { site: 'rome' })
    const job = await create(user, { where: 'name:gate' }, [setSite('rome')])
    expect(job).toMatchObject({
      state: 'READY',
      counts: { total: 3, change: 2, unchanged: 1, rejected: 0, pending: 2 },
    })
    const { items } = await jobOf(user, job.id)
    expect(items.items[0]).toEqual({
      ...{ device: { id: ids[0], name: expect.any(String) }, outcome: 'CHANGE', status: 'PENDING', reason: null },
      changes: { setAttributes: [{ context: null, changes: { site: { old: 'oslo', new: 'rome' } } }] },
      ...{ code: null, message: null, eventIds: [] },
    })
    expect(items.items[1]).toMatchObject({ outcome: 'UNCHANGED', status: 'UNCHANGED', changes: {} })
    expect(await valuesOf(user)).toEqual([{ site: 'oslo' }, { site: 'rome' }, { site: 'oslo' }])

    const done = await run(user, job)
    expect(done).toMatchObject({ counts: { done: 2, pending: 0 }, progress: 1, finished: expect.any(String) })
    expect(await valuesOf(user)).toEqual([{ site: 'rome' }, { site: 'rome' }, { site: 'rome' }])
    const events = await eventsOf(user, ['ATTRIBUTE_CHANGE'])
    const ofJob = events.filter((event: { job: string }) => event.job === job.id)
    expect(ofJob).toHaveLength(2)
    expect(ofJob[0]).toMatchObject({ source: { kind: 'job', id: job.id }, actor: { id: user.accountId } })
    expect(done.items.items[0].eventIds).toEqual([
      ofJob.find((event: { target: { id: string }[] }) => event.target[0]!.id === ids[0]).id,
    ])
    const own = await eventsOf(user, ['BULK_START', 'BULK_FINISH'])
    expect(own).toMatchObject([
      { type: 'BULK_FINISH', data: { state: 'DONE', counts: { done: 2 } } },
      { type: 'BULK_START', data: { where: 'name:gate', counts: { change: 2 } } },
    ])
    const { login } = await user.data(
      `{ login { key: events(where: "key = ${user.keyId} AND type = ATTRIBUTE_CHANGE") { total } job: events(where: "job = ${job.id}") { total } } }`,
    )
    expect(login).toMatchObject({ key: { total: 3 }, job: { total: 3 } })
  })

  it('rejects what the single mutation rejects, and a retry succeeds after the fix', async () => {
    const [user, ids] = await fleet(2)
    await set(user, ids[0]!, { site: null })
    await set(user, ids[0]!, { site: { room: '1' } })
    const job = await create(user, { ids: [...ids, '80:00:00:00:00:00:00:01'] }, [setSite('rome')])
    expect(job.counts).toMatchObject({ total: 3, change: 1, rejected: 2 })
    const { items } = await jobOf(user, job.id)
    const codes = Object.fromEntries(
      items.items.map((item: { device: { id: string }; code: string }) => [item.device.id, item.code]),
    )
    expect(codes).toEqual({ '80:00:00:00:00:00:00:01': 'NOT_FOUND', [ids[0]!]: 'CONFLICT', [ids[1]!]: null })
    expect((await run(user, job)).counts).toMatchObject({ done: 1, failed: 2 })
    await set(user, ids[0]!, { site: null })
    const retry = await call(user, 'retry', job.id)
    expect(retry.counts).toMatchObject({ total: 2, change: 1, rejected: 1 })
    await run(user, retry)
    expect(await valuesOf(user)).toEqual([{ site: 'rome' }, { site: 'rome' }])
  })

  it('fills in values of the device, in order of the operations', async () => {
    const [user] = await fleet(1)
    const operations = [
      setSite('bergen'),
      { update: { name: '{site}-{id}', platform: '{{x}' } },
      { setAttributes: { attributes: { label: '{name} at {site}', rack: { row: '{platform}' } } } },
    ]
    const job = await create(user, { where: 'id:*' }, operations)
    await run(user, job)
    const { login } = await user.data('{ login { devices { items { id name platform attributes } } } }')
    const [device] = login.devices.items
    expect(device).toMatchObject({ name: `bergen-${device.id}`, platform: '{x}' })
    expect(device.attributes).toEqual({ site: 'bergen', label: `bergen-${device.id} at bergen`, rack: { row: '{x}' } })
    const missing = await create(user, { where: 'id:*' }, [setSite('{missing}')])
    expect(missing.counts).toMatchObject({ rejected: 1 })
    expect((await jobOf(user, missing.id)).items.items[0].message).toMatch(/no value for \{missing\}/)
  })

  it('previews more than 1000 devices in the background', async () => {
    const user = await largeFleet(1200)
    const job = await create(user, { where: 'site = oslo' }, [setSite('rome')], { rate: 10_000 })
    expect(job.state).toBe('PREVIEWING')
    const ready = await until(user, job.id, 'READY')
    expect(ready.counts).toMatchObject({ total: 1200, change: 1200 })
    const done = await run(user, ready)
    expect(done.counts).toMatchObject({ done: 1200, failed: 0, skipped: 0 })
    expect(await eventsOf(user, ['ATTRIBUTE_CHANGE'])).toHaveLength(1000)
  })

  it('rejects an empty filter, other targets, and invalid operations', async () => {
    const [user, ids] = await fleet(1)
    const attempts: [object, object[], RegExp][] = [
      [{ where: ' ' }, [setSite('x')], /must not be empty: all devices are id:\*/],
      [{}, [setSite('x')], /either where or view, or ids/],
      [{ where: 'id:*', ids }, [setSite('x')], /either where or view, or ids/],
      [{ where: 'sitte = x' }, [setSite('x')], /Did you mean "site"/],
      [{ ids: [ids[0], ids[0]!.toUpperCase()] }, [setSite('x')], /ids\[0\] and target.ids\[1\] are the same device/],
      [{ ids }, [], /1 to 20 operations/],
      [{ ids }, [{}], /exactly one member/],
      [{ ids }, [{ delete: {} }, setSite('x')], /must be the only operation/],
      [{ ids }, [setSite('{')], /literal brace/],
      [{ ids }, [{ setAttributes: { attributes: {} } }], /must not be an empty object/],
      [{ ids }, [{ update: {} }], /must have a name, hardwareId, or platform/],
    ]
    for (const [target, operations, message] of attempts) {
      expect(await codeOf(user, createText, { target, operations })).toEqual([
        'BAD_USER_INPUT',
        expect.stringMatching(message),
      ])
    }
  })
})

describe('starting', () => {
  it('accepts only the newest token, once, and the expected number', async () => {
    const [user, ids] = await fleet(2)
    const job = await create(user, { ids }, [setSite('rome')])
    const again = await call(user, 'preview', job.id)
    expect(again.token).not.toBe(job.token)
    const startText = (token: string, more = '') =>
      `mutation { startBulk(id: "${job.id}", token: "${token}"${more}) { id } }`
    expect(await codeOf(user, startText(job.token))).toEqual(['CONFLICT', expect.stringMatching(/newest preview/)])
    expect(await codeOf(user, startText(again.token, ', expected: 1'))).toEqual([
      'CONFLICT',
      '2 devices would change, not 1',
    ])
    await run(user, again)
    expect((await codeOf(user, startText(again.token)))[0]).toBe('CONFLICT')
    expect(await eventsOf(user, ['BULK_START'])).toHaveLength(1)
  })

  it('rejects a preview that is older than a day', async () => {
    const [user, ids] = await fleet(1)
    const job = await create(user, { ids }, [setSite('rome')])
    await sql`update bulk_job set previewed = previewed - interval '25 hours' where id = ${job.id}`.execute(app.db)
    expect((await jobOf(user, job.id)).state).toBe('EXPIRED')
    expect((await codeOf(user, `mutation { startBulk(id: "${job.id}", token: "${job.token}") { id } }`))[0]).toBe(
      'CONFLICT',
    )
    expect((await call(user, 'preview', job.id)).state).toBe('READY')
  })

  it('runs at once only if the preview is as expected', async () => {
    const [user, ids] = await fleet(2)
    const runText = `mutation ($ids: [String!], $expected: Int!) { runBulk(target: { ids: $ids }, expected: $expected,
      operations: [{ setAttributes: { attributes: { site: "rome" } } }]) { id state } }`
    const { errors } = await user.query(runText, { ids, expected: 1 })
    expect(errors?.[0]).toMatchObject({ extensions: { code: 'CONFLICT', job: expect.any(String) } })
    expect((await jobOf(user, errors![0]!.extensions.job as string)).state).toBe('READY')
    const { runBulk } = await user.data(runText, { ids, expected: 2 })
    expect((await until(user, runBulk.id, 'DONE')).counts.done).toBe(2)
  })

  it('skips devices that are gone, no longer match, or changed, and never touches new ones', async () => {
    const [user, ids] = await fleet(4, { site: 'oslo', keep: 'yes' })
    const job = await create(user, { where: 'keep = yes' }, [setSite('rome')])
    await register(user, 'late', { site: 'oslo', keep: 'yes' })
    await user.data(`mutation { deleteDevice(deviceId: "${ids[0]}", force: true) }`)
    await set(user, ids[1]!, { keep: 'no' })
    await set(user, ids[2]!, { site: 'bergen' })
    const done = await run(user, job)
    expect(done.counts).toMatchObject({ done: 1, skipped: 3, failed: 0 })
    expect(done.items.items.map(({ status, reason }: { status: string; reason: string }) => [status, reason])).toEqual([
      ['SKIPPED', 'GONE'],
      ['SKIPPED', 'NO_LONGER_MATCHES'],
      ['SKIPPED', 'CHANGED_SINCE'],
      ['DONE', null],
    ])
    const { login } = await user.data('{ login { devices(name: "late") { items { attributes } } } }')
    expect(login.devices.items[0].attributes.site).toBe('oslo')
  })

  it('lets two jobs write different names, and one of two jobs the same name', async () => {
    const [user, ids] = await fleet(5)
    const jobs = [
      await create(user, { ids }, [setSite('rome')]),
      await create(user, { ids }, [setSite('bergen')]),
      await create(user, { ids }, [{ setAttributes: { attributes: { other: 'x' } } }]),
    ]
    await Promise.all(jobs.map((job) => start(user, job)))
    const [rome, bergen, other] = await Promise.all(jobs.map(({ id }) => until(user, id, 'DONE')))
    expect(other.counts.done).toBe(5)
    expect(rome.counts.done + bergen.counts.done).toBe(5)
    expect(rome.counts.skipped + bergen.counts.skipped).toBe(5)
    for (const each of await valuesOf(user))
      expect(each).toMatchObject({ site: expect.stringMatching(/rome|bergen/), other: 'x' })
  })
})

describe('a running job', () => {
  it('pauses, resumes, changes its rate, and is canceled, in step with its events', async () => {
    const user = await largeFleet(900)
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

  it('pauses when the key of its starter is disabled', async () => {
    const user = await largeFleet(900)
    const { createAccessKey } = await user.data('mutation { createAccessKey { key secret } }')
    const job = await create(user, { where: 'site = oslo' }, [setSite('rome')], { rate: 1 })
    await start(user, job)
    await sql`update bulk_job set starter = jsonb_set(starter, '{accessKey}', to_jsonb(${createAccessKey.key}::text))
      where id = ${job.id}`.execute(app.db)
    await user.data(`mutation { updateAccessKey(key: "${createAccessKey.key}", enabled: false) { key } }`)
    const paused = await until(user, job.id, 'PAUSED')
    expect(paused.stateReason).toMatch(/is disabled/)
    await call(user, 'resume', job.id, ', rate: 10000')
    expect((await until(user, job.id, 'DONE')).counts.done).toBe(900)
  })

  it('records a device that fails by itself, and changes the others', async () => {
    const [user, ids] = await fleet(3)
    const job = await create(user, { ids }, [{ update: { hardwareId: 'H-{id}' } }], { rate: 1 })
    await user.data(`mutation { registerDevice(name: "taken", hardwareId: "H-${ids[1]}") { device { id } } }`)
    const done = await run(user, job)
    expect(done.counts).toMatchObject({ done: 2, failed: 1 })
    expect(done.items.items[1]).toMatchObject({ status: 'FAILED', code: 'CONFLICT', message: /in use/ })
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

describe('an undo', () => {
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

describe('jobs', () => {
  it('are opened, appended to, listed, and limited in number', async () => {
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

  it('are deleted with their devices 30 days after they end, and expire a day after their preview', async () => {
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

  it('fail with a reason if the server cannot run them', async () => {
    const [user, ids] = await fleet(2)
    const job = await create(user, { ids }, [setSite('rome')])
    await sql`update bulk_item set changes = jsonb_set(changes, '{setAttributes}', '1')
      where job_id = ${job.id} and device_id = ${ids[0]}`.execute(app.db)
    const done = await run(user, job)
    expect(done.counts).toMatchObject({ done: 1, failed: 1 })
    expect(done.items.items[0]).toMatchObject({ status: 'FAILED', code: 'INTERNAL' })
  })
})
