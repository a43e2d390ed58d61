import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { newDevice, set } from '../../../test/factories/attribute-changes.ts'
import { failure, keyOf, sendAsUser } from '../../../test/factories/keys.ts'
import { sharedTestApp, type TestUser } from '../../../test/harness/app.ts'

const app = sharedTestApp()

const changeFields = 'items { eventId at name context old new target { id kind } source { kind id } event { id type } }'

async function historyOf(user: TestUser, id: string, args: Record<string, unknown> = {}) {
  const { login } = await user.data(
    `query ($id: String!, $name: String, $context: String, $minDate: DateTime, $maxDate: DateTime, $size: Int, $after: ID) {
      login { device(id: [$id]) { attributeHistory(
        name: $name, context: $context, minDate: $minDate, maxDate: $maxDate, size: $size, after: $after
      ) { ${changeFields} total hasMore cursor } } } }`,
    { id, ...args },
  )
  return login.device[0].attributeHistory
}

const short = ({ items }: { items: { name: string; context: string | null; old: unknown; new: unknown }[] }) =>
  items.map((item) => [item.name, item.context, item.old, item.new])

it('lists the changes to a device, newest first, since its registration, and filters by name and context', async () => {
  const user = await app.createUser()
  const id = await newDevice(user, { site: 'oslo', net: { ssid: 'lab', ip: '::1' }, $svc: { categoryA: 'a' } })
  await set(user, id, { site: 'bergen', net: null })
  await set(user, id, { site: 'night' }, 'night')
  await set(user, id, { site: null })
  await set(user, id, { $svc: { categoryA: 'b' } })
  const all = await historyOf(user, id)
  expect(short(all)).toEqual([
    ['$svc.categoryA', null, 'a', 'b'],
    ['site', null, 'bergen', null],
    ['site', 'night', null, 'night'],
    ['net.ip', null, '::1', null],
    ['net.ssid', null, 'lab', null],
    ['site', null, 'oslo', 'bergen'],
    ['$svc.categoryA', null, null, 'a'],
    ['net.ip', null, null, '::1'],
    ['net.ssid', null, null, 'lab'],
    ['site', null, null, 'oslo'],
  ])
  expect(all).toMatchObject({ total: 10, hasMore: false })
  expect(all.items[0]).toMatchObject({
    target: { id, kind: 'device' },
    source: { kind: 'accessKey', id: user.keyId },
    event: { id: all.items[0].eventId, type: 'ATTRIBUTE_CHANGE' },
  })
  expect(short(await historyOf(user, id, { name: 'net' }))).toEqual([
    ['net.ip', null, '::1', null],
    ['net.ssid', null, 'lab', null],
    ['net.ip', null, null, '::1'],
    ['net.ssid', null, null, 'lab'],
  ])
  expect(short(await historyOf(user, id, { name: 'net.ip' }))).toHaveLength(2)
  expect(short(await historyOf(user, id, { name: 'site', context: 'night' }))).toEqual([
    ['site', 'night', null, 'night'],
  ])
  expect((await historyOf(user, id, { context: 'day' })).total).toBe(0)
})

it('lists each change once across pages, even if changes share an event, and accepts an event ID as after', async () => {
  const user = await app.createUser()
  const id = await newDevice(user)
  const names = ['a', 'B', 'ä', 'c.d', 'c.e']
  for (const value of ['1', '2']) await set(user, id, Object.fromEntries(names.map((name) => [name, value])))
  const all = await historyOf(user, id)
  expect(all.total).toBe(10)
  const paged: unknown[] = []
  let after: string | null = null
  do {
    const page: Awaited<ReturnType<typeof historyOf>> = await historyOf(user, id, { size: 3, after })
    paged.push(...page.items)
    after = page.hasMore ? page.cursor : null
  } while (after !== null)
  expect(paged).toEqual(all.items)
  const older = await historyOf(user, id, { after: all.items[0].eventId })
  expect(older.items).toEqual(all.items.slice(5))
})

it('limits changes to a time span, which includes minDate and excludes maxDate', async () => {
  const user = await app.createUser()
  const id = await newDevice(user)
  for (const site of ['a', 'b', 'c']) {
    await set(user, id, { site })
    await sql`select pg_sleep(0.01)`.execute(app.db)
  }
  const { items } = await historyOf(user, id)
  const spanned = await historyOf(user, id, { minDate: items[1].at, maxDate: items[0].at })
  expect(short(spanned)).toEqual([['site', null, 'a', 'b']])
  const { errors } = await user.query(
    `query ($id: String!) { login { device(id: [$id]) { attributeHistory(
      minDate: "2026-02-01T00:00:00Z", maxDate: "2026-01-01T00:00:00Z") { total } } } }`,
    { id },
  )
  expect(errors?.[0]).toMatchObject({
    extensions: { code: 'BAD_USER_INPUT' },
    message: expect.stringMatching(/minDate must not be after/),
  })
})

it('lists changes to services and to the account separately from changes to the device', async () => {
  const user = await app.createUser()
  const id = await newDevice(user, { site: 'oslo' })
  const { login } = await user.data(`query ($id: String!) { login { id device(id: [$id]) { services { id } } } }`, {
    id,
  })
  const service = login.device[0].services[0].id
  await set(user, service, { owner: 'ops' })
  await set(user, login.id, { plan: 'gold' })
  await set(user, login.id, { plan: 'lead' }, 'night')
  const found = await user.data(
    `query ($ids: [String!]!) { login {
      attributeHistory { ${changeFields} total }
      service(id: $ids) { id attributeHistory { ${changeFields} total } } } }`,
    { ids: [service, id] },
  )
  expect(short(found.login.attributeHistory)).toEqual([
    ['plan', 'night', null, 'lead'],
    ['plan', null, null, 'gold'],
  ])
  expect(found.login.attributeHistory.total).toBe(2)
  const histories = Object.fromEntries(
    found.login.service.map((each: { id: string; attributeHistory: never }) => [each.id, short(each.attributeHistory)]),
  )
  expect(histories).toEqual({ [service]: [['owner', null, null, 'ops']], [id]: [['site', null, null, 'oslo']] })
  expect(short(await historyOf(user, id))).toEqual([['site', null, null, 'oslo']])
})

it("reports an unknown source for changes from before sources were recorded, and hides other users' events", async () => {
  const [user, other] = [await app.createUser(), await app.createUser()]
  const id = await newDevice(user)
  await set(user, id, { site: 'oslo' })
  await sql`update event set source = null where account_id = ${user.accountId}`.execute(app.db)
  const { items } = await historyOf(user, id)
  expect(items[0].source).toEqual({ kind: 'unknown', id: null })
  const own = await newDevice(other, { site: 'rome' })
  const { errors } = await other.query(
    'query ($id: String!, $after: ID) { login { device(id: [$id]) { attributeHistory(after: $after) { total } } } }',
    { id: own, after: items[0].eventId },
  )
  expect(errors?.[0]).toMatchObject({ extensions: { code: 'NOT_FOUND' } })
  const rejected = await user.query('{ login { attributeHistory(after: "c1.x") { total } } }')
  expect(rejected.errors?.[0]).toMatchObject({ extensions: { code: 'BAD_USER_INPUT' } })
})

it("lists the account's own changes only with AUDIT_READ, and changes to devices without it", async () => {
  const user = await app.createUser()
  const id = await newDevice(user, { site: 'oslo' })
  const reader = await keyOf(app, sendAsUser(user), 'access: { permissions: [DEVICE_READ, EVENT_READ] }')
  expect(failure(await reader.query('{ login { attributeHistory { total } } }'))).toEqual({
    code: 'FORBIDDEN',
    reason: 'permission',
    missing: [{ field: 'User.attributeHistory', permission: 'AUDIT_READ' }],
  })
  expect(short(await historyOf(reader, id))).toEqual([['site', null, null, 'oslo']])
})

it('returns how far back the history is known', async () => {
  const user = await app.createUser()
  const { rows } = await sql<{ since: Date }>`select since from attribute_times_start`.execute(app.db)
  await sql`create table event_2020_03 partition of event for values from ('2020-03-01') to ('2020-04-01')`.execute(
    app.db,
  )
  const { login } = await user.data('{ login { history { earliest timesSince } } }')
  expect(login.history).toEqual({ earliest: '2020-03-01T00:00:00.000Z', timesSince: rows[0]!.since.toISOString() })
  await sql`drop table event_2020_03`.execute(app.db)
})
