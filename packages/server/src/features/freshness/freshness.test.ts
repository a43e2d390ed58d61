import { sql } from 'kysely'
import { describe, expect, it, test } from 'vitest'
import { create, run as runJob } from '../../../test/api/bulk-jobs.ts'
import { connectMqtt } from '../../../test/clients/mqtt-device.ts'
import { failure, keyOf, sendAsUser } from '../../../test/factories/keys.ts'
import { sharedTestApp, type TestUser } from '../../../test/harness/app.ts'
import { moveTimesStart } from '../presence/leases.queries.ts'

const app = sharedTestApp({ worker: true, mqtt: true })

/** The times of one value, in milliseconds since 1970. */
interface Info {
  value: string | null
  setIn: string | null
  changed: string | null
  confirmed: string | null
  expectedInterval: number | null
  isStale: boolean
}

const infoFields = 'value setIn changed confirmed expectedInterval isStale'

async function register(user: TestUser, attributes: object = {}) {
  const { registerDevice } = await user.data(
    `mutation ($attributes: Object) {
      registerDevice(name: "gate", services: [{ name: "ssh" }], attributes: $attributes) { secret device { id services { id } } } }`,
    { attributes },
  )
  const { id, services } = registerDevice.device
  return { id: id as string, service: services[0].id as string, secret: registerDevice.secret as string }
}

const expectEvery = (user: TestUser, name: string, seconds: number | null) =>
  user.query(
    'mutation ($name: String!, $seconds: Int) { setExpectedInterval(name: $name, seconds: $seconds) { name seconds stale } }',
    { name, seconds },
  )

const setOne = (user: TestUser, id: string, [name, value]: [string, string | null], context?: string) =>
  user.data(
    'mutation ($id: String!, $name: String!, $value: String, $context: String) { setAttribute(serviceId: $id, name: $name, value: $value, context: $context) }',
    { id, name, value, context },
  )

async function infoOf(user: TestUser, id: string, name: string, context?: string): Promise<Info> {
  const isUser = id === user.accountId
  const info = `attributeInfo(names: [$name], context: $context) { ${infoFields} }`
  const { login } = await user.data(
    `query (${isUser ? '' : '$id: String!,'} $name: String!, $context: String) {
      login { ${isUser ? info : `service(id: [$id]) { ${info} }`} } }`,
    { ...(isUser ? {} : { id }), name, context },
  )
  return (isUser ? login : login.service[0]).attributeInfo[0]
}

const changesOf = (user: TestUser) =>
  sql<{ type: string; timestamp: Date; target: string; changes: Record<string, unknown> | null }>`
    select type, "timestamp", targets -> 0 ->> 'id' as target, data -> 'changes' as changes from event
    where account_id = ${user.accountId} and type in ('ATTRIBUTE_CHANGE', 'DEVICE_REGISTER') order by id`
    .execute(app.db)
    .then(({ rows }) => rows)

/** Moves everything that the server has stored about a user's values this number of seconds into the past. */
async function passTime(user: TestUser, seconds: number): Promise<void> {
  const { accountId } = user
  const earlier = sql`(select coalesce(jsonb_object_agg(key, case jsonb_typeof(value)
      when 'array' then jsonb_build_array((value ->> 0)::bigint - ${seconds * 1_000}::int, (value ->> 1)::bigint - ${seconds * 1_000}::int)
      else to_jsonb(value::text::bigint - ${seconds * 1_000}::int) end), '{}') from jsonb_each(attribute_times))`
  const past = sql`interval '1 second' * ${seconds}`
  for (const [table, account] of [
    ['device', 'account_id'],
    ['device_live', 'account_id'],
    ['service', 'account_id'],
    ['attribute_override', 'account_id'],
    ['account', 'id'],
  ] as const) {
    const created = ['device', 'service'].includes(table) ? sql`, created = created - ${past}` : sql``
    await sql`update ${sql.table(table)} set attribute_times = ${earlier} ${created}
      where ${sql.ref(account)} = ${accountId}`.execute(app.db)
  }
  await sql`update event set "timestamp" = "timestamp" - ${past} where account_id = ${accountId}`.execute(app.db)
  await sql`update attribute_times_start set since = since - ${past}`.execute(app.db)
}

const find = async (user: TestUser, where: string, context?: string): Promise<string[]> => {
  const { login } = await user.data(
    'query ($where: String, $context: String) { login { devices(where: $where, context: $context) { items { id } } } }',
    { where, context },
  )
  return login.devices.items.map(({ id }: { id: string }) => id)
}

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
      { message: /seconds is required: pass null/, extensions: { code: 'BAD_USER_INPUT' } },
    ])
    for (let index = 0; index < 50; index++) await expectEvery(user, `n${index}`, 60)
    expect((await expectEvery(user, 'one more', 60)).errors).toMatchObject([
      { extensions: { code: 'LIMIT_EXCEEDED', limit: 50, found: 50 } },
    ])
    expect(await codeOf('n7', 120)).toBeUndefined()
    expect((await user.data('{ login { freshness { name } } }')).login.freshness).toHaveLength(50)
  })

  it('needs ATTRIBUTE_WRITE and access to all devices', async () => {
    const user = await app.createUser()
    await register(user, { site: 'oslo', load: '1' })
    await expectEvery(user, 'load', 60)
    await expectEvery(user, 'site', 60)
    const send = sendAsUser(user)
    const reader = await keyOf(app, send, 'access: { permissions: [DEVICE_READ] }')
    expect(failure(await expectEvery(reader, 'load', 120))).toMatchObject({ code: 'FORBIDDEN', reason: 'permission' })
    const restricted = await keyOf(app, send, 'access: { where: "site = oslo" }')
    expect(failure(await expectEvery(restricted, 'load', 120))).toMatchObject({ code: 'FORBIDDEN' })
    await passTime(user, 76)
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
  const own = async (user: TestUser) => {
    const { id, service, secret } = await register(user, { site: 'oslo' })
    const setMany = (targets: string[], value: string, more = {}) =>
      user.data('mutation ($items: [AttributesInput!]!) { setAttributesMany(items: $items) { code } }', {
        items: targets.map((target) => ({ serviceId: target, attributes: { load: value, other: value }, ...more })),
      })
    const ways: Record<
      string,
      [target: string, set: (value: string) => Promise<unknown>, name?: string, context?: string]
    > = {
      'setAttribute of a device': [id, (value) => setOne(user, id, ['load', value])],
      'setAttribute of a group': [id, (value) => setOne(user, id, ['net.rate', value]), 'net.rate'],
      'setAttribute of a service': [service, (value) => setOne(user, service, ['load', value])],
      'setAttribute of the user': [user.accountId, (value) => setOne(user, user.accountId, ['load', value])],
      'setAttribute of a reserved name': [id, (value) => setOne(user, id, ['$svc.statusB', value]), '$svc.statusB'],
      'setAttribute in a context': [id, (value) => setOne(user, id, ['load', value], 'night'), 'load', 'night'],
      'several setAttribute at once': [
        id,
        (value) => Promise.all(['load', 'a', 'b', 'c'].map((name) => setOne(user, id, [name, value]))),
      ],
      setAttributes: [
        id,
        (value) =>
          user.data(
            'mutation ($id: String!, $attributes: Object!) { setAttributes(serviceId: $id, attributes: $attributes) }',
            { id, attributes: { load: value, $svc: { statusA: value } } },
          ),
      ],
      setAttributesMany: [service, (value) => setMany([id, service, user.accountId], value)],
      'setAttributesMany in a context': [
        id,
        (value) => setMany([id, service], value, { context: 'night' }),
        'load',
        'night',
      ],
      'a report over MQTT': [
        id,
        async (value) => {
          const client = await connectMqtt(`mqtt://127.0.0.1:${app.mqttPort}`, { id, secret })
          await client.publishAsync(`devices/${id}/attributes`, JSON.stringify({ load: value }), { qos: 1 })
          await client.endAsync()
        },
      ],
    }
    return ways
  }

  const names = [
    ...['setAttribute of a device', 'setAttribute of a group', 'setAttribute of a service', 'setAttribute of the user'],
    ...[
      'setAttribute of a reserved name',
      'setAttribute in a context',
      'several setAttribute at once',
      'setAttributes',
    ],
    ...['setAttributesMany', 'setAttributesMany in a context', 'a report over MQTT'],
  ]

  test.each(names)(
    'are written by %s: changed is the time of the event, and confirmed of a later write',
    async (way) => {
      const user = await app.createUser()
      const [target, set, name = 'load', context] = (await own(user))[way]!
      await expectEvery(user, name, 60)
      await set('1')
      const changes = await changesOf(user)
      const event = changes.findLast((each) => each.target === target && each.changes !== null && name in each.changes)!
      const first = await infoOf(user, target, name, context)
      expect(first).toEqual({
        ...{ value: '1', setIn: context ?? null, changed: event.timestamp.toISOString() },
        ...{ confirmed: event.timestamp.toISOString(), expectedInterval: 60, isStale: false },
      })
      // A write of the same value within a quarter of the interval is not recorded.
      await set('1')
      expect(await infoOf(user, target, name, context)).toEqual(first)
      await passTime(user, 16)
      await set('1')
      const second = await infoOf(user, target, name, context)
      const moved = new Date(event.timestamp.getTime() - 16_000).toISOString()
      expect(second).toMatchObject({ value: '1', changed: moved, isStale: false })
      expect(Date.parse(second.confirmed!)).toBeGreaterThanOrEqual(event.timestamp.getTime())
      await passTime(user, 70)
      expect(await infoOf(user, target, name, context)).toMatchObject({ isStale: false })
      await passTime(user, 10)
      expect(await infoOf(user, target, name, context)).toMatchObject({ isStale: true })
      expect(await changesOf(user)).toHaveLength(changes.length)
      await set('2')
      expect(await infoOf(user, target, name, context)).toMatchObject({ value: '2', isStale: false })
    },
  )

  it('are those of the registration for the first values, however a device is registered', async () => {
    const user = await app.createUser()
    const { id } = await register(user, { site: 'oslo', $svc: { categoryA: 'x' } })
    const job = await create(user, { csv: 'name,site\nimported,bergen\n', register: true }, [])
    await runJob(user, job)
    const events = await changesOf(user)
    expect(events.map(({ type }) => type)).toEqual(['DEVICE_REGISTER', 'DEVICE_REGISTER'])
    const [imported] = await find(user, 'name = imported')
    for (const [target, name, event] of [
      [id, 'site', events[0]],
      [id, '$svc.categoryA', events[0]],
      [imported!, 'site', events[1]],
    ] as const)
      expect(await infoOf(user, target, name)).toMatchObject({ changed: event!.timestamp.toISOString() })
  })

  it('are those of the events of a bulk job, and of an undo', async () => {
    const user = await app.createUser()
    const { id } = await register(user, { site: 'oslo' })
    const operations = [{ setAttributes: { attributes: { site: 'bergen', rack: '1' } } }]
    await runJob(user, await create(user, { where: 'id:*' }, operations))
    const event = (await changesOf(user)).at(-1)!
    for (const name of ['site', 'rack'])
      expect(await infoOf(user, id, name)).toMatchObject({ changed: event.timestamp.toISOString() })
  })

  it('are removed with the values, and those of the base apply after the removal of an override', async () => {
    const user = await app.createUser()
    const { id } = await register(user)
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

describe('a value that is written on time', () => {
  it('is never stale, and is recorded at most four times per interval, without events', async () => {
    const user = await app.createUser()
    const { id } = await register(user, { load: '1' })
    await expectEvery(user, 'load', 3_600)
    const [event] = await changesOf(user)
    const records = new Set<string>()
    let passed = 0
    const write = async (seconds: number): Promise<void> => {
      await passTime(user, seconds)
      passed += seconds
      await setOne(user, id, ['load', '1'])
      const { changed, confirmed, isStale } = await infoOf(user, id, 'load')
      expect(isStale).toBe(false)
      expect(Date.parse(changed!)).toBe(event!.timestamp.getTime() - passed * 1_000)
      records.add(String(Math.round((Date.parse(confirmed!) + passed * 1_000) / 60_000)))
      expect(await find(user, 'stale(load)')).toEqual([])
    }
    for (const seconds of [3_600, 3_599, 3_600]) await write(seconds)
    records.clear()
    for (let minutes = 0; minutes < 60; minutes += 5) await write(300)
    expect(records.size).toBeLessThanOrEqual(5)
    expect(records.size).toBeGreaterThanOrEqual(4)
    expect(await changesOf(user)).toHaveLength(1)
  })

  it('is not stale while a process of the previous release, which records no times, is running', async () => {
    const user = await app.createUser()
    const { id } = await register(user, { load: '1' })
    await expectEvery(user, 'load', 60)
    const [event] = await changesOf(user)
    await passTime(user, 300)
    expect(await infoOf(user, id, 'load')).toMatchObject({ isStale: true })
    await sql`insert into server_process (id, expires) values ('previous', now() + interval '1 hour')`.execute(app.db)
    await moveTimesStart(app.db)
    const changed = new Date(event!.timestamp.getTime() - 300_000).toISOString()
    expect(await infoOf(user, id, 'load')).toMatchObject({ changed, isStale: false })
    expect(await find(user, 'stale(load) OR age(load) > 1m')).toEqual([])
    // The previous release changes the value without its time.
    await sql`update device set attributes = '{"load": "2"}' where id = ${id}`.execute(app.db)
    await sql`delete from server_process where id = 'previous'`.execute(app.db)
    await moveTimesStart(app.db)
    const { rows } = await sql<{
      since: Date
      is_mixed: boolean
    }>`select since, is_mixed from attribute_times_start`.execute(app.db)
    expect(rows[0]!.is_mixed).toBe(false)
    expect(await infoOf(user, id, 'load')).toMatchObject({ changed: rows[0]!.since.toISOString(), isStale: false })
    await moveTimesStart(app.db)
    expect(await sql`select since from attribute_times_start`.execute(app.db)).toMatchObject({
      rows: [{ since: rows[0]!.since }],
    })
  })
})

describe('a stale value', () => {
  it('is counted and found, in the base and in a context, and a missing value is not stale', async () => {
    const user = await app.createUser()
    const { id: late } = await register(user, { load: '1', net: { rate: '1' } })
    const { id: fresh } = await register(user, { load: '1' })
    const { id: missing } = await register(user)
    await expectEvery(user, 'load', 60)
    await expectEvery(user, 'net.rate', 60)
    await setOne(user, fresh, ['load', 'x'], 'night')
    await passTime(user, 80)
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
    expect(await find(user, 'stale(load)')).toEqual([late])
    expect((await find(user, 'stale(load)', 'night')).toSorted()).toEqual([late, fresh].toSorted())
    expect((await find(user, 'NOT stale(load)')).toSorted()).toEqual([fresh, missing].toSorted())
    expect(await find(user, 'stale(net.rate)')).toEqual([late])
    const { login } = await user.data('query ($ids: [String!]!) { login { device(id: $ids) { id isStale } } }', {
      ids: [late, fresh, missing],
    })
    expect(login.device).toEqual([
      { id: late, isStale: true },
      { id: fresh, isStale: false },
      { id: missing, isStale: false },
    ])
    await expectEvery(user, 'load', null)
    expect(await find(user, 'stale(load)')).toEqual([])
    expect(await infoOf(user, late, 'load')).toMatchObject({ expectedInterval: null, isStale: false })
    const other = await app.createUser()
    expect((await other.data('{ login { deviceTotals { stale } } }')).login.deviceTotals.stale).toBe(0)
  })
})
