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
  run,
  set,
  setSite,
  start,
  until,
  valuesOf,
} from '../../../test/api/bulk-jobs.ts'
import { sharedTestApp, type TestUser } from '../../../test/harness/app.ts'

const app = sharedTestApp({ worker: true })

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

it('rejects a hardware ID that the job also gives to another device', async () => {
  const user = await newLargeFleet(app, 300)
  const job = await create(user, { where: 'site = oslo' }, [{ update: { hardwareId: 'same' } }])
  expect(job.counts).toMatchObject({ change: 1, rejected: 299 })
  const { items } = (await jobOf(user, job.id)) as { items: { items: { outcome: string; message: string }[] } }
  expect(items.items[0]!.outcome).toBe('CHANGE')
  expect(items.items[99]!.message).toMatch(/the job gives the hardwareId "same" to this device and to device 80:/)
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

it('pauses after a failure above the limit, and does not count that failure after it is resumed', async () => {
  const [user, ids] = await newFleet(app, 4)
  const { createBulk: job } = await user.data(
    `mutation ($ids: [String!]) { createBulk(target: { ids: $ids }, rate: 2, maxFailures: 0,
      operations: [{ update: { hardwareId: "H-{id}" } }]) { id token } }`,
    { ids },
  )
  await user.data(`mutation { registerDevice(name: "taken", hardwareId: "H-${ids[0]}") { device { id } } }`)
  await start(user, job)
  const paused = await until(user, job.id, 'PAUSED')
  expect(paused.stateReason).toBe(
    'the number of devices that failed since the job was started or last resumed is 1, but the limit is 0',
  )
  expect(paused.counts).toMatchObject({ failed: 1, pending: 3 })
  await call(user, 'resume', job.id, ', rate: 1')
  expect((await until(user, job.id, 'DONE')).counts).toMatchObject({ done: 3, failed: 1 })
})

it('allows only one undo of a job at a time', async () => {
  const [user, ids] = await newFleet(app, 2)
  const job = await create(user, { ids }, [setSite('rome')])
  await run(user, job)
  const first = await call(user, 'undo', job.id)
  await makeOld(app, first.id)
  const second = await call(user, 'undo', job.id)
  const conflict = ['CONFLICT', expect.stringMatching(`the bulk job ${second.id}, another undo of the bulk job`)]
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

it('changes no device twice while two servers work on a job that is paused, resumed, and canceled', async () => {
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

describe('services in a bulk job', () => {
  it('are added, changed, and removed, with an event for each change', async () => {
    const [user, ids] = await newFleet(app, 2)
    await addService(user, ids[0]!, 'telnet', 23)
    const ssh = await addService(user, ids[0]!, 'ssh', 22)
    await set(user, ssh, { rack: '1' })
    const job = await create(user, { ids }, [
      { addService: { name: 'web', port: 443 } },
      { removeService: { where: 'port = 23' } },
      { setAttributes: { attributes: { label: '{name}' }, services: 'name = ssh' } },
    ])
    expect(job.counts).toMatchObject({ change: 2, rejected: 0 })
    const { items } = await jobOf(user, job.id)
    const { name } = items.items[0].device
    expect(items.items[0].changes).toMatchObject({
      setAttributes: [
        { context: null, service: { id: ssh, name: 'ssh' }, changes: { label: { old: null, new: name } } },
      ],
      addService: [{ name: 'web', port: 443, enabled: true }],
      removeService: [{ name: 'telnet', port: 23 }],
    })
    const done = await run(user, job)
    expect(done.counts).toMatchObject({ done: 2, failed: 0, skipped: 0 })
    expect(await servicesOf(user)).toEqual([[`ssh 22 {"label":"${name}","rack":"1"}`, 'web 443 {}'], ['web 443 {}']])
    const events = await eventsOf(user, ['SERVICE_ADD', 'SERVICE_REMOVE', 'ATTRIBUTE_CHANGE'])
    const ofJob = events.filter((event: { job: string | null }) => event.job === job.id)
    expect(ofJob.map(({ type }: { type: string }) => type).sort()).toEqual([
      ...['ATTRIBUTE_CHANGE', 'SERVICE_ADD', 'SERVICE_ADD', 'SERVICE_REMOVE'],
    ])
    expect(done.items.items[0].eventIds).toHaveLength(3)
  })

  it('are reverted by an undo, which adds removed services again with their attributes', async () => {
    const [user, ids] = await newFleet(app, 1)
    const telnet = await addService(user, ids[0]!, 'telnet', 23)
    await set(user, telnet, { rack: { row: '1' } })
    await set(user, telnet, { level: 'low' }, 'night')
    const before = [await servicesOf(user), await servicesOf(user, 'night')]
    const job = await create(user, { ids }, [
      { removeService: { where: 'id:*' } },
      { addService: { name: 'web', port: 443 } },
    ])
    await run(user, job)
    const after = await servicesOf(user)
    expect(after).toEqual([['web 443 {}']])
    const undo = await call(user, 'undo', job.id)
    expect(undo.counts).toMatchObject({ change: 1 })
    expect((await run(user, undo)).counts).toMatchObject({ done: 1, failed: 0, skipped: 0 })
    expect([await servicesOf(user), await servicesOf(user, 'night')]).toEqual(before)
    const { login } = await user.data('{ login { devices { items { services { id } } } } }')
    expect(login.devices.items[0].services[0].id).not.toBe(telnet)
    await run(user, await call(user, 'undo', undo.id))
    expect(await servicesOf(user)).toEqual(after)
  })

  it('are not written if they have changed since the preview, and not reverted if they have changed since the run', async () => {
    const [user, ids] = await newFleet(app, 4)
    const services = []
    for (const id of ids) services.push(await addService(user, id, 'ssh', 22))
    const job = await create(user, { ids }, [
      { removeService: { where: 'port = 22' } },
      { addService: { name: 'web', port: 443 } },
    ])
    await user.data(`mutation { updateService(id: "${services[0]}", port: 2222) { id } }`)
    await set(user, services[1]!, { rack: '1' })
    await user.data(`mutation { removeService(id: "${services[2]}") }`)
    const done = await run(user, job)
    expect(done.items.items.map(({ reason }: { reason: string }) => reason)).toEqual([
      ...['CHANGED_SINCE', 'CHANGED_SINCE', 'CHANGED_SINCE', null],
    ])
    const { login } = await user.data('{ login { services(where: "name = web") { items { id } } } }')
    await user.data(`mutation { updateService(id: "${login.services.items[0].id}", port: 8443) { id } }`)
    const undo = await call(user, 'undo', job.id)
    const { items } = await jobOf(user, undo.id)
    expect(items.items).toMatchObject([{ outcome: 'CHANGE', reason: 'CHANGED_SINCE' }])
    await run(user, undo)
    expect((await servicesOf(user))[3]).toEqual(['ssh 22 {}', 'web 8443 {}'])
    const again = await call(user, 'undo', job.id)
    expect((await jobOf(user, again.id)).items.items).toMatchObject([
      { outcome: 'UNCHANGED', status: 'SKIPPED', reason: 'CHANGED_SINCE' },
    ])
  })

  it('are added and changed by the rows of a CSV, which keep other services', async () => {
    const [user, ids] = await newFleet(app, 2)
    await addService(user, ids[0]!, 'ssh', 22)
    await addService(user, ids[0]!, 'web', 80)
    for (const host of ['a', 'b'])
      await user.data(`mutation { addService(deviceId: "${ids[1]}", name: "db", port: 1, host: "${host}") { id } }`)
    const csv = `id,services\n${ids[0]},ssh=ssh:2222;db=tcp:5432\n${ids[1]},db=tcp:2\n`
    const job = await create(user, { csv }, [])
    expect(job.counts).toMatchObject({ change: 1, rejected: 1 })
    const { items } = await jobOf(user, job.id)
    expect(items.items[1]).toMatchObject({
      code: 'BAD_USER_INPUT',
      message:
        'services: the row or the device has several services with the name "db". Give each of them a different name',
    })
    expect(items.items[0].changes).toMatchObject({
      updateService: [{ name: 'ssh', changes: { port: { old: 22, new: 2222 } } }],
      addService: [{ name: 'db', port: 5432 }],
    })
    await run(user, job)
    expect((await servicesOf(user))[0]).toEqual(['db 5432 {}', 'ssh 2222 {}', 'web 80 {}'])
    expect((await create(user, { csv }, [])).counts).toMatchObject({ unchanged: 1, rejected: 1 })
    await run(user, await call(user, 'undo', job.id))
    expect((await servicesOf(user))[0]).toEqual(['ssh 22 {}', 'web 80 {}'])
  })

  it('are limited in number, and must have valid fields and filters', async () => {
    const [user, ids] = await newFleet(app, 1)
    const attempts: [object, RegExp][] = [
      [{ addService: { name: 'x', port: 70_000 } }, /operations\[0\].addService.port must be from 1 to 65535/],
      [{ removeService: { where: '' } }, /removeService.where must not be empty/],
      [{ removeService: { where: 'prot = 22' } }, /Did you mean "port"/],
      [{ setAttributes: { attributes: { x: 'y' }, services: 'platform = linux' } }, /setAttributes.services/],
    ]
    for (const [operation, message] of attempts)
      expect(await codeOf(user, createText, { target: { ids }, operations: [operation] })).toEqual([
        'BAD_USER_INPUT',
        expect.stringMatching(message),
      ])
    await sql`insert into service (account_id, device_id, id, name, application, enabled)
      select ${user.accountId}, ${ids[0]!}, '80:00:00:00:00:00:01:' || lpad(to_hex(i), 2, '0'), 'tcp', 1, true
      from generate_series(1, 99) as i`.execute(app.db)
    const add = { addService: { name: 'web', port: 443 } }
    const two = await create(user, { ids }, [add, add])
    expect((await jobOf(user, two.id)).items.items[0]).toMatchObject({ code: 'LIMIT_EXCEEDED' })
    const job = await create(user, { ids }, [add])
    await addService(user, ids[0]!, 'ssh', 22)
    const { items } = await run(user, job)
    expect(items.items[0]).toMatchObject({ status: 'FAILED', code: 'LIMIT_EXCEEDED' })
    const all = await create(user, { ids }, [{ removeService: { where: 'id:*' } }])
    expect((await run(user, all)).counts).toMatchObject({ done: 1 })
    expect(await servicesOf(user)).toEqual([[]])
  })
})

async function addService(user: TestUser, deviceId: string, name: string, port: number): Promise<string> {
  const text =
    'mutation ($id: String!, $name: String!, $port: Int) { addService(deviceId: $id, name: $name, port: $port) { id } }'
  return (await user.data(text, { id: deviceId, name, port })).addService.id
}

async function servicesOf(user: TestUser, context?: string): Promise<string[][]> {
  const { login } = await user.data(
    `query ($context: String) { login { devices(sort: "id") { items {
      services { name port attributes(context: $context) } } } } }`,
    { context },
  )
  interface Service {
    name: string
    port: number
    attributes: Record<string, unknown>
  }
  return login.devices.items.map(({ services }: { services: Service[] }) =>
    services.map(({ name, port, attributes }) => {
      const sorted = Object.fromEntries(Object.entries(attributes).sort(([one], [other]) => (one < other ? -1 : 1)))
      return `${name} ${port} ${JSON.stringify(sorted)}`
    }),
  )
}
