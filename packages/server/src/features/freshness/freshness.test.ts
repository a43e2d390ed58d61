import { sql } from 'kysely'
import { describe, expect, it, test, vi } from 'vitest'
import { attributeWrites } from '../../../test/api/attribute-writes.ts'
import { call, create, run as runJob } from '../../../test/api/bulk-jobs.ts'
import {
  changesOf,
  expectEvery,
  findDevices,
  infoOf,
  passTime,
  registerGate,
  setOne,
} from '../../../test/api/value-times.ts'
import { failure, keyOf, sendAsUser } from '../../../test/factories/keys.ts'
import { sharedTestApp } from '../../../test/harness/app.ts'
import { moveTimesStart } from '../presence/leases.queries.ts'

const app = sharedTestApp({ worker: true, mqtt: true })

describe('setExpectedInterval', () => {
  it('sets, changes, and removes the interval of a name, with one event for each change', async () => {
    const user = await app.createUser()
    expect((await expectEvery(user, 'load', 60)).data?.setExpectedInterval).toEqual({
      ...{ name: 'load', seconds: 60, stale: 0 },
    })
    await expectEvery(user, 'load', 60)
    await expectEvery(user, 'load', 3_600)
    await expectEvery(user, 'net.rate', 31_536_000)
    await expectEvery(user, '$svc.statusA', 60)
    const list = '{ login { freshness { name seconds stale } limits { name value used } } }'
    const { freshness, limits } = (await user.data(list)).login
    expect(freshness).toEqual([
      { name: '$svc.statusA', seconds: 60, stale: 0 },
      { name: 'load', seconds: 3_600, stale: 0 },
      { name: 'net.rate', seconds: 31_536_000, stale: 0 },
    ])
    expect(limits).toContainEqual({ name: 'expectedIntervals', value: 50, used: 3 })
    expect((await expectEvery(user, 'load', null)).data).toEqual({ setExpectedInterval: null })
    expect((await expectEvery(user, 'never', null)).data).toEqual({ setExpectedInterval: null })
    const { login } = await user.data(
      '{ login { events(types: [FRESHNESS_UPDATE]) { items { data target { id kind } actor { id } } } } }',
    )
    expect(login.events.items.map(({ data }: { data: unknown }) => data).reverse()).toEqual([
      { name: 'load', seconds: { old: null, new: 60 } },
      { name: 'load', seconds: { old: 60, new: 3_600 } },
      { name: 'net.rate', seconds: { old: null, new: 31_536_000 } },
      { name: '$svc.statusA', seconds: { old: null, new: 60 } },
      { name: 'load', seconds: { old: 3_600, new: null } },
    ])
    expect(login.events.items[0]).toMatchObject({
      target: [{ id: user.accountId, kind: 'user' }],
      actor: { id: user.accountId },
    })
    const other = await app.createUser()
    expect((await other.data(list)).login.freshness).toEqual([])
  })

  it('rejects invalid names and intervals, and more than 50 names', async () => {
    const user = await app.createUser()
    const codeOf = async (name: string, seconds: number | null) =>
      (await expectEvery(user, name, seconds)).errors?.[0]?.extensions.code
    for (const seconds of [59, 31_536_001, 0, -60]) expect(await codeOf('load', seconds)).toBe('BAD_USER_INPUT')
    for (const name of ['', '.x', 'a\u0000']) expect(await codeOf(name, 60)).toBe('BAD_USER_INPUT')
    for (const name of ['$ui.theme', '$svc.other', '$x']) expect(await codeOf(name, 60)).toBe('RESERVED_ATTRIBUTE')
    const omitted = await user.query('mutation { setExpectedInterval(name: "load") { name } }')
    expect(omitted.errors).toMatchObject([
      { message: expect.stringMatching(/^seconds is required: .* or null/), extensions: { code: 'BAD_USER_INPUT' } },
    ])
    for (let index = 0; index < 50; index++) await expectEvery(user, `n${index}`, 60)
    expect((await expectEvery(user, 'one more', 60)).errors).toMatchObject([
      { extensions: { code: 'LIMIT_EXCEEDED', limit: 50, found: 50 } },
    ])
    expect(await codeOf('n7', 120)).toBeUndefined()
    expect((await user.data('{ login { freshness { name } } }')).login.freshness).toHaveLength(50)
  })

  it('requires ATTRIBUTE_WRITE and access to all devices', async () => {
    const user = await app.createUser()
    await registerGate(user, { site: 'oslo', load: '1' })
    await expectEvery(user, 'load', 60)
    await expectEvery(user, 'site', 60)
    const send = sendAsUser(user)
    const reader = await keyOf(app, send, 'access: { permissions: [DEVICE_READ] }')
    expect(failure(await expectEvery(reader, 'load', 120))).toMatchObject({ code: 'FORBIDDEN', reason: 'permission' })
    const restricted = await keyOf(app, send, 'access: { where: "site = oslo" }')
    expect(failure(await expectEvery(restricted, 'load', 120))).toMatchObject({ code: 'FORBIDDEN' })
    await passTime(app, user, 76)
    const list = '{ login { freshness { name stale } deviceTotals { stale } devices { items { isStale } } } }'
    const inside = { freshness: [{ stale: 1 }, { stale: 1 }], deviceTotals: { stale: 1 } }
    expect((await restricted.data(list)).login).toMatchObject(inside)
    const elsewhere = await keyOf(app, send, 'access: { where: "site = bergen" }')
    expect((await elsewhere.data(list)).login).toMatchObject({
      freshness: [{ stale: 0 }, { stale: 0 }],
      deviceTotals: { stale: 0 },
      devices: { items: [] },
    })
    const named = await keyOf(app, send, 'access: { attributes: { read: ["color"], write: [] } }')
    expect((await named.data(list)).login).toEqual({
      ...{ freshness: [], deviceTotals: { stale: 0 }, devices: { items: [{ isStale: false }] } },
    })
    expect(failure(await named.query('{ login { devices(where: "stale(load)") { total } } }'))).toMatchObject({
      code: 'FORBIDDEN',
      reason: 'attribute',
    })
  })
})

describe('the times of values', () => {
  test.each(Object.keys(attributeWrites))(
    'are written by %s: changed is the time of the event, and confirmed is the time of a later write',
    async (way) => {
      const user = await app.createUser()
      const device = await registerGate(user, { site: 'oslo' })
      const { target: kind, name = 'load', context, write } = attributeWrites[way]!
      const target = { device: device.id, service: device.service, user: user.accountId }[kind]
      const set = (value: string) => write({ app, user, device, target }, value)
      await expectEvery(user, name, 3_600)
      await set('1')
      const changes = await changesOf(app, user)
      const event = changes.findLast((each) => each.target === target && each.changes !== null && name in each.changes)!
      const first = await infoOf(user, target, name, context)
      expect(first).toEqual({
        ...{ value: '1', setIn: context ?? null, changed: event.timestamp.toISOString() },
        ...{ confirmed: event.timestamp.toISOString(), expectedInterval: 3_600, isStale: false },
      })
      // A write of the same value within a quarter of the interval is not recorded.
      await set('1')
      expect(await infoOf(user, target, name, context)).toEqual(first)
      await passTime(app, user, 960)
      await set('1')
      const second = await infoOf(user, target, name, context)
      const moved = new Date(event.timestamp.getTime() - 960_000).toISOString()
      expect(second).toMatchObject({ value: '1', changed: moved, isStale: false })
      expect(Date.parse(second.confirmed!)).toBeGreaterThanOrEqual(event.timestamp.getTime())
      await passTime(app, user, 4_200)
      expect(await infoOf(user, target, name, context)).toMatchObject({ isStale: false })
      await passTime(app, user, 600)
      expect(await infoOf(user, target, name, context)).toMatchObject({ isStale: true })
      expect(await changesOf(app, user)).toHaveLength(changes.length)
      await set('2')
      expect(await infoOf(user, target, name, context)).toMatchObject({ value: '2', isStale: false })
    },
  )

  it('start with the time of the registration by registerDevice or by a bulk job', async () => {
    const user = await app.createUser()
    const { id } = await registerGate(user, { site: 'oslo', $svc: { categoryA: 'x' } })
    const job = await create(user, { csv: 'name,site\nimported,bergen\n', register: true }, [])
    await runJob(user, job)
    const events = await changesOf(app, user)
    expect(events.map(({ type }) => type)).toEqual(['DEVICE_REGISTER', 'DEVICE_REGISTER'])
    const [imported] = await findDevices(user, 'name = imported')
    for (const [target, name, event] of [
      [id, 'site', events[0]],
      [id, '$svc.categoryA', events[0]],
      [imported!, 'site', events[1]],
    ] as const)
      expect(await infoOf(user, target, name)).toMatchObject({ changed: event!.timestamp.toISOString() })
  })

  it('match the events of a bulk job and of its undo', async () => {
    const user = await app.createUser()
    const { id } = await registerGate(user, { site: 'oslo' })
    const operations = [{ setAttributes: { attributes: { site: 'bergen', rack: '1' } } }]
    const job = await create(user, { where: 'id:*' }, operations)
    await runJob(user, job)
    const event = (await changesOf(app, user)).at(-1)!
    for (const name of ['site', 'rack'])
      expect(await infoOf(user, id, name)).toMatchObject({ changed: event.timestamp.toISOString() })
    await runJob(user, await call(user, 'undo', job.id))
    const [, , undo] = await changesOf(app, user)
    expect(await infoOf(user, id, 'site')).toMatchObject({ value: 'oslo', changed: undo!.timestamp.toISOString() })
    expect(await infoOf(user, id, 'rack')).toMatchObject({ value: null, changed: null })
  })

  it('are removed with the values, and the time of the base value applies after an override is removed', async () => {
    const user = await app.createUser()
    const { id } = await registerGate(user)
    await setOne(user, id, ['load', '1'])
    const base = await infoOf(user, id, 'load')
    await setOne(user, id, ['load', '2'], 'night')
    await setOne(user, id, ['load', null], 'night')
    expect(await infoOf(user, id, 'load', 'night')).toEqual(base)
    await setOne(user, id, ['load', null])
    expect(await infoOf(user, id, 'load')).toMatchObject({
      value: null,
      changed: null,
      confirmed: null,
      isStale: false,
    })
    const { rows } = await sql<{ times: object }>`
      select attribute_times as times from device where id = ${id}`.execute(app.db)
    expect(rows).toEqual([{ times: {} }])
  })
})

describe('a value', () => {
  it('is never stale if it is written on time, with four or five records per hour and no events', async () => {
    const user = await app.createUser()
    const { id } = await registerGate(user, { load: '1' })
    await expectEvery(user, 'load', 3_600)
    const [event] = await changesOf(app, user)
    const records = new Set<string>()
    let passed = 0
    const write = async (seconds: number): Promise<void> => {
      await passTime(app, user, seconds)
      passed += seconds
      await setOne(user, id, ['load', '1'])
      const { changed, confirmed, isStale } = await infoOf(user, id, 'load')
      expect(isStale).toBe(false)
      expect(Date.parse(changed!)).toBe(event!.timestamp.getTime() - passed * 1_000)
      records.add(String(Math.round((Date.parse(confirmed!) + passed * 1_000) / 60_000)))
      expect(await findDevices(user, 'stale(load)')).toEqual([])
    }
    for (const seconds of [3_600, 3_599, 3_600]) await write(seconds)
    records.clear()
    for (let minutes = 0; minutes < 60; minutes += 5) await write(300)
    expect(records.size).toBeLessThanOrEqual(5)
    expect(records.size).toBeGreaterThanOrEqual(4)
    expect(await changesOf(app, user)).toHaveLength(1)
  })

  it('is not stale while a process of the previous release, which records no times, is running', async () => {
    const user = await app.createUser()
    const { id } = await registerGate(user, { load: '1' })
    await expectEvery(user, 'load', 60)
    const [event] = await changesOf(app, user)
    await passTime(app, user, 300)
    expect(await infoOf(user, id, 'load')).toMatchObject({ isStale: true })
    await sql`insert into server_process (id, expires) values ('previous', now() + interval '1 hour')`.execute(app.db)
    await moveTimesStart(app.db)
    const changed = new Date(event!.timestamp.getTime() - 300_000).toISOString()
    expect(await infoOf(user, id, 'load')).toMatchObject({ changed, isStale: false })
    expect(await findDevices(user, 'stale(load) OR age(load) > 1m')).toEqual([])
    // Like the previous release, change the value without recording the time.
    await sql`update device set attributes = '{"load": "2"}' where id = ${id}`.execute(app.db)
    await sql`delete from server_process where id = 'previous'`.execute(app.db)
    await moveTimesStart(app.db)
    const readStart = async () =>
      (await sql<{ since: Date; is_mixed: boolean }>`select since, is_mixed from attribute_times_start`.execute(app.db))
        .rows[0]!
    // The server also moves the start every second, for the last time after it has read that the process is gone.
    const { since } = await vi.waitFor(async () => {
      const start = await readStart()
      expect(start.is_mixed).toBe(false)
      expect(await infoOf(user, id, 'load')).toMatchObject({ changed: start.since.toISOString(), isStale: false })
      return start
    }, 10_000)
    await moveTimesStart(app.db)
    expect(await readStart()).toEqual({ since, is_mixed: false })
  })
})

describe('a stale value', () => {
  it('is counted and found, both as a base value and in a context, unlike a missing value', async () => {
    const user = await app.createUser()
    const { id: late } = await registerGate(user, { load: '1', net: { rate: '1' } })
    const { id: fresh } = await registerGate(user, { load: '1' })
    const { id: missing } = await registerGate(user)
    await expectEvery(user, 'load', 60)
    await expectEvery(user, 'net.rate', 60)
    await setOne(user, fresh, ['load', 'x'], 'night')
    await passTime(app, user, 80)
    await setOne(user, fresh, ['load', '1'])
    const counts = async (context?: string) =>
      (
        await user.data(
          'query ($context: String) { login { deviceTotals(context: $context) { total stale } freshness { name stale } } }',
          { context },
        )
      ).login
    expect(await counts()).toEqual({
      deviceTotals: { total: 3, stale: 1 },
      freshness: [
        { name: 'load', stale: 1 },
        { name: 'net.rate', stale: 1 },
      ],
    })
    expect((await counts('night')).deviceTotals.stale).toBe(2)
    expect(await findDevices(user, 'stale(load)')).toEqual([late])
    expect((await findDevices(user, 'stale(load)', 'night')).toSorted()).toEqual([late, fresh].toSorted())
    expect((await findDevices(user, 'NOT stale(load)')).toSorted()).toEqual([fresh, missing].toSorted())
    expect(await findDevices(user, 'stale(net.rate)')).toEqual([late])
    const { login } = await user.data('query ($ids: [String!]!) { login { device(id: $ids) { id isStale } } }', {
      ids: [late, fresh, missing],
    })
    expect(login.device).toEqual([
      { id: late, isStale: true },
      { id: fresh, isStale: false },
      { id: missing, isStale: false },
    ])
    await expectEvery(user, 'load', null)
    expect(await findDevices(user, 'stale(load)')).toEqual([])
    expect(await infoOf(user, late, 'load')).toMatchObject({ expectedInterval: null, isStale: false })
    const other = await app.createUser()
    expect((await other.data('{ login { deviceTotals { stale } } }')).login.deviceTotals.stale).toBe(0)
  })
})
