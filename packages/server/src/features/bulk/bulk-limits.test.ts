import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
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
  setSite,
  start,
  until,
  valuesOf,
} from '../../../test/api/bulk-jobs.ts'
import { startTestApp, type TestApp, type TestUser } from '../../../test/harness/app.ts'

let app: TestApp
beforeAll(async () => {
  // The clock of the rate limits stands still, so the quota is not refilled.
  const env = { MUSTER_KEY_POINTS: '1000000', MUSTER_KEY_POINTS_PER_SECOND: '1' }
  app = await startTestApp({ worker: true, env, elapsed: () => 0 })
})
afterAll(() => app.close())

const attributes = (values: object) => ({ setAttributes: { attributes: values } })

describe('the attributes in a bulk job', () => {
  it('have a limited number of names in braces in their values, and a limited size', async () => {
    const [user, ids] = await newFleet(app, 1, { long: 'x'.repeat(2_000) })
    const target = { ids }
    const attempt = (...operations: object[]) => codeOf(user, createText, { target, operations })
    expect(await attempt(attributes({ a: '{id}'.repeat(50), b: '{id}'.repeat(51) }))).toEqual([
      'LIMIT_EXCEEDED',
      'operations may contain at most 100 names in braces, found 101',
    ])
    const large = Object.fromEntries(Array.from({ length: 5 }, (_, index) => [`v${index}`, 'y'.repeat(16_000)]))
    expect(await attempt(attributes(large))).toEqual([
      'LIMIT_EXCEEDED',
      'operations may write at most 65536 bytes of values to a device, found 80000',
    ])
    const value = await create(user, target, [attributes({ a: '{long}'.repeat(9) })])
    expect((await jobOf(user, value.id)).items.items[0]).toMatchObject({
      ...{ outcome: 'REJECTED', code: 'LIMIT_EXCEEDED' },
      message: expect.stringMatching(/attributes.a may have at most 16384 bytes/),
    })
    const values = Object.fromEntries(Array.from({ length: 5 }, (_, index) => [`v${index}`, '{long}'.repeat(8)]))
    const all = await create(user, target, [attributes(values)])
    expect((await jobOf(user, all.id)).items.items[0]).toMatchObject({
      ...{ outcome: 'REJECTED', code: 'LIMIT_EXCEEDED' },
      message: expect.stringMatching(/the operations may write at most 65536 bytes/),
    })
    expect(await attempt(attributes({ $other: 'x' }))).toEqual(['RESERVED_ATTRIBUTE', expect.stringMatching(/\$other/)])
  })

  it('can have the names of JavaScript object properties', async () => {
    const [user, ids] = await newFleet(app, 1, {})
    // A document can contain the name __proto__, but a variable cannot.
    const { createBulk: job } = await user.data(
      `mutation { createBulk(target: { ids: ["${ids[0]}"] }, operations: [{ setAttributes: {
        attributes: { __proto__: "a", constructor: "b", group: { __proto__: "c", toString: "d" } } } }]) { id token } }`,
    )
    await run(user, job)
    const written = JSON.stringify((await valuesOf(user))[0])
    for (const part of ['"__proto__":"a"', '"constructor":"b"', '"__proto__":"c"', '"toString":"d"'])
      expect(written).toContain(part)
    await run(user, await call(user, 'undo', job.id))
    expect(await valuesOf(user)).toEqual([{}])
  })
})

async function costOf(user: TestUser, document: string): Promise<number> {
  const left = async (text: string) => {
    const { headers, errors } = await user.query(text)
    expect(errors).toBeUndefined()
    return Number(/;r=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1])
  }
  const before = await left('{ login { id } }')
  return before - (await left(document))
}

describe('a bulk job', () => {
  it('is charged for the devices that its preview reads', async () => {
    const user = await newLargeFleet(app, 4_100)
    const operations = 'operations: [{ setAttributes: { attributes: { x: "y" } } }]'
    const byFilter = (where: string) => `mutation { createBulk(target: { where: "${where}" }, ${operations}) { id } }`
    expect(await costOf(user, byFilter('id = 80:00:00:00:00:01:00:01'))).toBe(2)
    expect(await costOf(user, byFilter('NOT site = oslo'))).toBe(4)
    expect(await costOf(user, byFilter('site = oslo'))).toBe(4)
    const { login } = await user.data('{ login { bulkJobs(size: 3) { items { id state } } } }')
    const [large, , small] = login.bulkJobs.items
    // The preview may already have ended.
    expect(['PREVIEWING', 'READY']).toContain(large.state)
    await until(user, large.id, 'READY')
    expect(await costOf(user, `mutation { previewBulk(id: "${small.id}") { id } }`)).toBe(2)
    expect(await costOf(user, `mutation { previewBulk(id: "${large.id}") { id } }`)).toBe(4)
  })

  it('is charged to the storage quota, and waits while the quota is used up', async () => {
    let now = 0
    const limited = await startTestApp({
      worker: true,
      env: { MUSTER_ACCOUNT_BYTES_PER_DAY: '100000' },
      elapsed: () => now,
    })
    const [user, ids] = await newFleet(limited, 2)
    const job = await create(user, { ids }, [attributes({ text: 'x'.repeat(10_000) })])
    const other = await create(user, { ids }, [attributes({ more: 'y'.repeat(12_000) })])
    await run(user, job)
    await start(user, other)
    let waiting = await jobOf(user, other.id)
    while (waiting.stateReason === null) waiting = await jobOf(user, other.id)
    expect(waiting).toMatchObject({
      ...{ state: 'RUNNING', counts: { done: 0, pending: 2 } },
      stateReason: expect.stringMatching(/^waiting: an account may store 100000 bytes per day/),
    })
    now += 86_400_000
    await call(user, 'pause', other.id)
    await call(user, 'resume', other.id)
    expect((await until(user, other.id, 'DONE')).counts).toMatchObject({ done: 2 })
    await limited.close()
  })
})

describe('the limit on jobs that have not been started', () => {
  it('also applies to an undo, a retry, and a new preview of an expired job', async () => {
    const [user, ids] = await newFleet(app, 1)
    const job = await create(user, { ids }, [setSite('rome')])
    await run(user, job)
    const expired = await create(user, { ids }, [setSite('bergen')])
    await makeOld(app, expired.id)
    for (let index = 0; index < 20; index++) await create(user, { ids }, [setSite('x')])
    for (const text of [`undoBulk(id: "${job.id}")`, `retryBulk(id: "${job.id}")`, `previewBulk(id: "${expired.id}")`])
      expect((await codeOf(user, `mutation { ${text} { id } }`))[0]).toBe('LIMIT_EXCEEDED')
  })
})

describe('a preview of many devices', () => {
  it('finds them in the background, and again in the next preview', async () => {
    const user = await newLargeFleet(app, 5_600)
    await sql`update device set attributes = '{"site": "rome"}'
      where account_id = ${user.accountId} and id < '80:00:00:00:00:01:11:00'`.execute(app.db)
    const job = await create(user, { where: 'site = oslo' }, [attributes({ x: 'y' })])
    expect(job).toMatchObject({ state: 'PREVIEWING', token: null })
    const ready = await until(user, job.id, 'READY')
    expect(ready.counts).toMatchObject({ total: 1_249, change: 1_249 })
    await sql`update device set attributes = '{"site": "oslo"}'
      where account_id = ${user.accountId} and id < '80:00:00:00:00:01:00:11'`.execute(app.db)
    expect((await call(user, 'preview', job.id)).state).toBe('PREVIEWING')
    const again = await until(user, job.id, 'READY')
    expect(again.counts).toMatchObject({ total: 1_265, change: 1_265 })
    expect(again.token).not.toBe(ready.token)
    expect(await eventsOf(user, ['ATTRIBUTE_CHANGE'])).toEqual([])
  })

  it('also finds the devices of an undo in the background', async () => {
    const user = await newLargeFleet(app, 1_100)
    const job = await create(user, { where: 'site = oslo' }, [setSite('rome')], { rate: 10_000 })
    await run(user, await until(user, job.id, 'READY'))
    const undo = await call(user, 'undo', job.id)
    expect(undo.state).toBe('PREVIEWING')
    expect((await until(user, undo.id, 'READY')).counts).toMatchObject({ total: 1_100, change: 1_100, skipped: 0 })
  })
})

/**
 * Adds services with overrides in 60 contexts each. If the overrides of a context are compressed, the server counts
 * them as 64 KiB, regardless of their size.
 */
async function addLargeServices(user: TestUser, device: string, count: number): Promise<void> {
  const names = Array.from({ length: count }, (_, index) => `large-${index}`)
  for (const name of names)
    await user.data(
      'mutation ($device: String!, $name: String!) { addService(deviceId: $device, name: $name) { id } }',
      { device, name },
    )
  await sql`insert into attribute_override (account_id, target_id, context, attributes)
    select s.account_id, s.id, 'context ' || i, jsonb_build_object('text', repeat('x', 3000))
    from service s cross join generate_series(1, 60) as i
    where s.account_id = ${user.accountId} and s.device_id = ${device} and s.override_names = '{}'`.execute(app.db)
  await sql`update service set override_names = '{"text": ["value", 60]}'
    where account_id = ${user.accountId} and device_id = ${device}`.execute(app.db)
}

describe('devices with many attributes', () => {
  it('are changed, but rejected or recorded as failed if they are too large', async () => {
    const [user, ids] = await newFleet(app, 13)
    for (const [index, id] of ids.entries()) await addLargeServices(user, id, index === 0 ? 5 : 3)
    const ofServices = [{ setAttributes: { attributes: { checked: 'yes' }, services: 'id:*' } }]
    const job = await create(user, { ids }, ofServices)
    // The request previews some of the devices. The worker previews the others, possibly before the response.
    expect(['PREVIEWING', 'READY']).toContain(job.state)
    const ready = await until(user, job.id, 'READY')
    expect(ready.counts).toMatchObject({ total: 13, change: 12, rejected: 1 })
    expect(ready.items.items[0]).toMatchObject({
      ...{ device: { id: ids[0] }, outcome: 'REJECTED', code: 'LIMIT_EXCEEDED' },
      message: expect.stringMatching(/^a bulk job reads at most 16777216 bytes of attributes per device/),
    })
    await addLargeServices(user, ids[5]!, 2)
    const done = await run(user, ready)
    expect(done.counts).toMatchObject({ done: 11, failed: 2, skipped: 0 })
    expect(done.items.items[5]).toMatchObject({ device: { id: ids[5] }, status: 'FAILED', code: 'LIMIT_EXCEEDED' })
    expect(await eventsOf(user, ['ATTRIBUTE_CHANGE'])).toHaveLength(33)

    const removal = await create(user, { ids: [ids[1]] }, [{ removeService: { where: 'name = large-0' } }])
    expect(removal.counts).toMatchObject({ change: 1 })
    const all = await create(user, { ids: [ids[1]] }, [{ removeService: { where: 'id:*' } }])
    expect((await jobOf(user, all.id)).items.items[0]).toMatchObject({
      ...{ outcome: 'REJECTED', code: 'LIMIT_EXCEEDED', changes: {} },
      message: expect.stringMatching(/^a bulk job records at most 262144 bytes of old and new values per device/),
    })
  })

  it('are rejected if their row in a CSV is too large', async () => {
    const user = await app.createUser()
    const names = Array.from({ length: 40 }, (_, index) => `attributes.v${index}`)
    const csv = `name,${names.join(',')}\nlarge,${names.map(() => 'x'.repeat(8_000)).join(',')}\nsmall${','.repeat(40)}\n`
    const job = await create(user, { csv, register: true }, [])
    expect(job.counts).toMatchObject({ total: 2, pending: 1, rejected: 1 })
    const { items } = (await jobOf(user, job.id)).items
    expect(items.find(({ outcome }: { outcome: string }) => outcome === 'REJECTED')).toMatchObject({
      ...{ device: { id: 'line 2' }, code: 'LIMIT_EXCEEDED' },
      message: expect.stringMatching(/^a row can have at most 262144 bytes/),
    })
  })

  it('are listed in pages that fit in a response', async () => {
    const user = await newLargeFleet(app, 600)
    const values = ['v0', 'v1', 'v2', 'v3'].map((name) => [name, 'x'.repeat(16_000)])
    await sql`update device set attributes = ${JSON.stringify(Object.fromEntries(values))}::jsonb
      where account_id = ${user.accountId}`.execute(app.db)
    const removed = Object.fromEntries(values.map(([name]) => [name, null]))
    const job = await create(user, { where: 'id:*' }, [attributes(removed)])
    expect(job.counts).toMatchObject({ change: 600 })
    const page = (size: number, selection: string) =>
      user.query(`{ login { bulkJob(id: "${job.id}") { reportUrl items(size: ${size}) { items { ${selection} } } } } }`)
    const { errors } = await page(1_000, 'changes')
    expect(errors).toMatchObject([
      {
        message:
          'the changes to these devices have more than 33554432 bytes: pass a smaller size to get fewer devices per page',
        extensions: { code: 'LIMIT_EXCEEDED', limit: 33_554_432 },
      },
    ])
    const { rows } = await sql<{ bytes: number }>`select max(octet_length(changes::text)) as bytes from bulk_item
      where job_id = ${job.id}`.execute(app.db)
    // The changes to one more device would not fit.
    const fitting = Math.floor(33_554_432 / rows[0]!.bytes)
    expect((await page(fitting, 'changes')).data.login.bulkJob[0].items.items).toHaveLength(fitting)
    const half = (name: string, after: string) => `${name}: items(size: 300, after: "${after}") { items { changes } }`
    const halves = `${half('a', '')} ${half('b', '80:00:00:00:00:01:01:2c')}`
    const together = await user.query(`{ login { bulkJob(id: "${job.id}") { ${halves} } } }`)
    expect(together.errors).toMatchObject([
      { message: expect.stringMatching(/^the changes to these devices have more/) },
    ])
    const all = await page(1_000, 'status')
    expect(all.data.login.bulkJob[0].items.items).toHaveLength(600)
    const report = await (await fetch(all.data.login.bulkJob[0].reportUrl)).text()
    expect(report.trimEnd().split('\n')).toHaveLength(601)
  })
})
