import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import {
  call,
  codeOf,
  create,
  createText,
  eventsOf,
  jobOf,
  makeOld,
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
import { statActivity } from '../../../test/cluster/cluster-databases.ts'
import { sharedTestApp } from '../../../test/harness/app.ts'
import { dropBulkJobs } from './bulk.jobs.ts'

const app = sharedTestApp({ worker: true })

const fleet = (count: number, attributes?: object) => newFleet(app, count, attributes)

describe('the preview of a bulk job', () => {
  it('shows old and new values, changes nothing, and matches the later change exactly', async () => {
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

  it('rejects the devices that setAttributes would reject, and a retry succeeds after a correction', async () => {
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

  it('replaces names in braces with values of the device, in the order of the operations', async () => {
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

  it('is computed in the background for more than 1,000 devices', async () => {
    const user = await newLargeFleet(app, 1200)
    const job = await create(user, { where: 'site = oslo' }, [setSite('rome')], { rate: 10_000 })
    expect(job.state).toBe('PREVIEWING')
    const ready = await until(user, job.id, 'READY')
    expect(ready.counts).toMatchObject({ total: 1200, change: 1200 })
    const done = await run(user, ready)
    expect(done.counts).toMatchObject({ done: 1200, failed: 0, skipped: 0 })
    expect(await eventsOf(user, ['ATTRIBUTE_CHANGE'])).toHaveLength(1000)
  })

  it('rejects an empty filter, invalid targets, and invalid operations', async () => {
    const [user, ids] = await fleet(1)
    const attempts: [object, object[], RegExp][] = [
      [{ where: ' ' }, [setSite('x')], /must not be empty: to select all devices, pass "id:\*"/],
      [{}, [setSite('x')], /exactly one of these: where, view, or both; ids/],
      [{ where: 'id:*', ids }, [setSite('x')], /exactly one of these: where, view, or both; ids/],
      [{ where: 'sitte = x' }, [setSite('x')], /Did you mean "site"/],
      [{ ids: [ids[0], ids[0]!.toUpperCase()] }, [setSite('x')], /ids\[0\] and target.ids\[1\] identify the same/],
      [{ ids }, [], /1 to 20 items/],
      [{ ids }, [{}], /exactly one field/],
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

describe('starting a bulk job', () => {
  it('accepts only the newest token, only once, and only with the expected number of devices', async () => {
    const [user, ids] = await fleet(2)
    const job = await create(user, { ids }, [setSite('rome')])
    const again = await call(user, 'preview', job.id)
    expect(again.token).not.toBe(job.token)
    const startText = (token: string, more = '') =>
      `mutation { startBulk(id: "${job.id}", token: "${token}"${more}) { id } }`
    const conflictOf = async (text: string) => {
      const [error] = (await user.query(text)).errors ?? []
      return [error?.message, error?.extensions]
    }
    const conflict = { code: 'CONFLICT', job: job.id, counts: expect.objectContaining({ change: 2, done: 0 }) }
    expect(await conflictOf(startText(job.token))).toEqual([expect.stringMatching(/newest preview/), conflict])
    expect(await conflictOf(startText(again.token, ', expected: 1'))).toEqual([
      'the number of devices that would change is 2 (expected 1): check the preview',
      { ...conflict, found: 2 },
    ])
    await run(user, again)
    expect(await conflictOf(startText(again.token))).toEqual([
      expect.stringMatching(/^the bulk job is DONE/),
      { ...conflict, counts: expect.objectContaining({ done: 2 }) },
    ])
    expect(await eventsOf(user, ['BULK_START'])).toHaveLength(1)
  })

  it('records the filter, including the filter of a view', async () => {
    const [user] = await fleet(2)
    const { createView } = await user.data(
      'mutation { createView(name: "Gates", where: "name:gate", context: "night") { id } }',
    )
    const job = await create(user, { view: createView.id, where: 'site = oslo' }, [setSite('rome')])
    await run(user, job)
    const [event] = await eventsOf(user, ['BULK_START'])
    expect(event.data.where).toBe('name:gate AND in("night", attributes.site) = oslo')
  })

  it('rejects a preview that is older than a day', async () => {
    const [user, ids] = await fleet(1)
    const job = await create(user, { ids }, [setSite('rome')])
    await makeOld(app, job.id)
    const expired = `{ login { bulkJob(id: "${job.id}") { state previewed finished expires } } }`
    const before = (await user.data(expired)).login.bulkJob
    await dropBulkJobs(app.db, new Date())
    expect((await user.data(expired)).login.bulkJob).toEqual(before)
    const [{ previewed, expires }] = before
    expect(before).toMatchObject([{ state: 'EXPIRED', finished: previewed }])
    expect(Date.parse(expires)).toBe(Date.parse(previewed) + 30 * 86_400_000)
    expect((await codeOf(user, `mutation { startBulk(id: "${job.id}", token: "${job.token}") { id } }`))[0]).toBe(
      'CONFLICT',
    )
    expect((await call(user, 'preview', job.id)).state).toBe('READY')
    expect((await jobOf(user, job.id)).finished).toBeNull()
  })

  it('follows the preview of runBulk only if the preview has the expected result', async () => {
    const [user, ids] = await fleet(2)
    const runText = `mutation ($ids: [String!], $expected: Int!) { runBulk(target: { ids: $ids }, expected: $expected,
      operations: [{ setAttributes: { attributes: { site: "rome" } } }]) { id state } }`
    const { errors } = await user.query(runText, { ids, expected: 1 })
    expect(errors?.[0]).toMatchObject({ extensions: { code: 'CONFLICT', job: expect.any(String) } })
    expect((await jobOf(user, errors![0]!.extensions.job as string)).state).toBe('READY')
    const { runBulk } = await user.data(runText, { ids, expected: 2 })
    expect((await until(user, runBulk.id, 'DONE')).counts.done).toBe(2)
  })

  it('skips devices that are deleted, no longer match, or lack the old value, and changes no new devices', async () => {
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

  it('registers no device for a row without a hardware ID if another device got its name after the preview', async () => {
    const user = await app.createUser()
    const job = await create(user, { csv: 'name,hardwareId\ntwin,\ntwin,H-1\nfree,\n', register: true }, [])
    await register(user, 'twin')
    expect((await run(user, job)).counts).toMatchObject({ done: 2, skipped: 1 })
    const { items } = await jobOf(user, job.id)
    expect(items.items).toContainEqual(
      expect.objectContaining({
        status: 'SKIPPED',
        reason: 'CHANGED_SINCE',
        message: expect.stringMatching(/^a device with the name "twin" now exists/),
      }),
    )
    const { login } = await user.data('{ login { devices(sort: "name") { items { name } } } }')
    expect(login.devices.items).toEqual([{ name: 'free' }, { name: 'twin' }, { name: 'twin' }])
  })

  it('registers devices with the names of other devices in the job', async () => {
    const user = await app.createUser()
    // At one device per second, each device is a batch.
    const csv = 'name,hardwareId\ntwin,\ntwin,H-1\n'
    const job = await create(user, { csv, register: true }, [], { rate: 1 })
    expect((await run(user, job)).counts).toMatchObject({ done: 2, skipped: 0 })
  })

  it('lets two jobs set different attributes of a device, but only one job set an attribute that both change', async () => {
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

it('locks the devices of a batch in ID order, even if the batch deletes some of them', async () => {
  const user = await newLargeFleet(app, 1)
  const job = await create(user, { csv: 'name,site\nnode 0001,rome\nnew,rome\n', register: true }, [])
  const { items } = await run(user, job)
  const [changed, registered]: string[] = items.items.map(({ device }: { device: { id: string } }) => device.id).sort()
  const undo = await call(user, 'undo', job.id)
  await app.db.transaction().execute(async (transaction) => {
    const lock = (id: string, mode: string) =>
      sql`select from device where account_id = ${user.accountId} and id = ${id} for update ${sql.raw(mode)}`.execute(
        transaction,
      )
    await lock(changed!, '')
    await start(user, undo)
    await expect.poll(isWaiting, { timeout: 30_000 }).toBe(true)
    // This statement fails if the job has already locked the device with the higher ID, which the job will delete.
    await lock(registered!, 'nowait')
  })
  expect((await until(user, undo.id, 'DONE')).counts).toMatchObject({ done: 2, failed: 0 })
})

async function isWaiting(): Promise<boolean> {
  const { rows } = await sql`
    select from ${sql.table(statActivity)} where datname = current_database() and wait_event_type = 'Lock'`.execute(
    app.db,
  )
  return rows.length > 0
}
