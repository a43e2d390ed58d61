import { sql } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
import { sharedTestApp, type TestUser } from '../../../test/harness/app.ts'
import { createEventPartitions } from '../../db/event-partitions.ts'
import { newId } from '../devices/device-id.ts'

const DAY = 86_400_000

let other: TestUser
/** Milliseconds added to the server's clock. */
let ahead = 0

const app = sharedTestApp({ clock: () => new Date(Date.now() + ahead) })
beforeAll(async () => {
  other = await app.createUser()
  for (const days of [0, 100, 200]) await createEventPartitions(app.db, new Date(Date.now() - days * DAY))
})

interface SeedEvent {
  at?: Date
  type?: string
  device?: string
  name?: string
  data?: object
}

const ago = (milliseconds: number): Date => new Date(Date.now() - milliseconds)

async function userWith(events: readonly SeedEvent[]): Promise<{ user: TestUser; ids: string[] }> {
  const user = await app.createUser()
  await app.db.deleteFrom('event').where('account_id', '=', user.accountId).execute()
  const rows = events.map(({ at = ago(1_000), type = 'DEVICE_UPDATE', device = null, name = 'x', data = {} }) => {
    const targets = [{ id: device ?? user.accountId, name, kind: device === null ? 'user' : 'device' }]
    return { at, type, device, targets, data }
  })
  const { rows: written } = await sql<{ id: string }>`
    insert into event (account_id, "timestamp", type, device_id, actor_id, targets, data)
    select ${user.accountId}, at, type, device, ${user.accountId}, targets, data
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as row (at timestamptz, type text, device text, targets jsonb, data jsonb)
    returning id::text`.execute(app.db)
  return { user, ids: written.map(({ id }) => id) }
}

const document = `query ($size: Int, $from: Int, $after: ID, $last: String, $minDate: DateTime, $maxDate: DateTime,
  $types: [EventType!], $deviceId: [String!]) {
  login { events(size: $size, from: $from, after: $after, last: $last, minDate: $minDate, maxDate: $maxDate, types: $types,
    deviceId: $deviceId) { items { id } total hasMore last cursor } }
}`

async function list(user: TestUser, variables: Record<string, unknown> = {}) {
  const { items, ...rest } = (await user.data(document, variables)).login.events
  return { ids: items.map(({ id }: { id: string }) => id) as string[], ...rest }
}

const errorCode = async (user: TestUser, variables: Record<string, unknown>): Promise<string | undefined> =>
  (await user.query(document, variables)).errors?.[0]?.extensions.code

describe('pages of events', () => {
  test('are ordered from newest to oldest with from, after, and last', async () => {
    const { user, ids } = await userWith([{}, {}, {}, {}, {}])
    const newest = [...ids].reverse()
    expect(await list(user)).toMatchObject({ ids: newest, total: 5, hasMore: false, last: newest[4] })
    const first = await list(user, { size: 2 })
    expect(first).toMatchObject({ ids: newest.slice(0, 2), total: 5, hasMore: true, last: newest[1] })
    expect((await list(user, { size: 2, from: 3 })).ids).toEqual(newest.slice(2, 4))
    for (const position of [
      { after: first.last },
      { last: first.last },
      { after: first.cursor },
      { last: first.last, from: 9 },
    ]) {
      expect(await list(user, { ...position, size: 2 })).toMatchObject({
        ids: newest.slice(2, 4),
        hasMore: true,
        total: 5,
      })
    }
    expect(await list(user, { size: 1001 }).catch(String)).toContain('BAD_USER_INPUT')
    expect(await errorCode(user, { from: 0 })).toBe('BAD_USER_INPUT')
    expect(await errorCode(user, { after: ids[0], last: ids[1] })).toBe('BAD_USER_INPUT')
  })

  test("reject unknown events and another user's events, and continue after a deleted event's cursor", async () => {
    const { user, ids } = await userWith([{}, {}, {}])
    const { cursor } = await list(user, { size: 2 })
    expect(await errorCode(other, { after: ids[1] })).toBe('NOT_FOUND')
    await app.db.deleteFrom('event').where('id', '=', ids[1]!).execute()
    for (const after of [ids[1], '0', '-1', 'x', '99999999999999999999', ''])
      expect(await errorCode(user, { after })).toBe('NOT_FOUND')
    expect((await list(user, { after: cursor })).ids).toEqual([ids[0]])
  })

  test('reject a cursor from a list of devices', async () => {
    const { registerDevice } = await app.owner.data('mutation { registerDevice(name: "a") { device { id } } }')
    expect(registerDevice.device.id).toBeTruthy()
    const { login } = await app.owner.data('{ login { devices(sort: "id") { cursor } } }')
    expect(await errorCode(app.owner, { after: login.devices.cursor })).toBe('BAD_USER_INPUT')
  })
})

describe('filters of the event list', () => {
  test('cover one month before now or maxDate, unless minDate or after is given', async () => {
    const { user, ids } = await userWith([
      { at: ago(80 * DAY) },
      { at: ago(40 * DAY) },
      { at: ago(35 * DAY) },
      { at: ago(20 * DAY) },
      {},
    ])
    const [oldest, older, old, recent, now] = ids as [string, string, string, string, string]
    expect(await list(user)).toMatchObject({ ids: [now, recent], total: 2 })
    expect((await list(user, { maxDate: ago(30 * DAY) })).ids).toEqual([old, older])
    expect((await list(user, { minDate: ago(38 * DAY) })).ids).toEqual([now, recent, old])
    expect((await list(user, { minDate: ago(90 * DAY), maxDate: ago(38 * DAY) })).ids).toEqual([older, oldest])
    expect((await list(user, { after: recent })).ids).toEqual([old, older, oldest])
    expect((await list(user, { after: recent, minDate: ago(38 * DAY) })).ids).toEqual([old])
  })

  test('include minDate, exclude maxDate, and reject a reversed range', async () => {
    const at = ago(5_000)
    const { user, ids } = await userWith([{ at }])
    const next = new Date(at.getTime() + 1)
    expect((await list(user, { minDate: at, maxDate: next })).ids).toEqual(ids)
    expect((await list(user, { minDate: ago(DAY), maxDate: at })).ids).toEqual([])
    expect((await list(user, { minDate: at, maxDate: at })).ids).toEqual([])
    expect(await errorCode(user, { minDate: next, maxDate: at })).toBe('BAD_USER_INPUT')
  })

  test('select types and devices, and match no events for an empty list', async () => {
    const [one, two] = [newId(), newId()]
    const { user, ids } = await userWith([
      { device: one },
      { type: 'ATTRIBUTE_CHANGE', device: two },
      { type: 'ACCESS_KEY_CREATE' },
    ])
    expect((await list(user, { types: ['ATTRIBUTE_CHANGE', 'ACCESS_KEY_CREATE'] })).ids).toEqual([ids[2], ids[1]])
    expect((await list(user, { deviceId: [two.toUpperCase(), one, 'nonsense', newId()] })).ids).toEqual([
      ids[1],
      ids[0],
    ])
    expect(await list(user, { deviceId: [one], types: ['DEVICE_UPDATE'], size: 1 })).toMatchObject({
      ids: [ids[0]],
      total: 1,
    })
    expect((await list(user, { types: [] })).ids).toEqual([])
    expect(await list(user, { deviceId: [] })).toMatchObject({ ids: [], total: 0, last: null, cursor: null })
    expect(await errorCode(user, { deviceId: Array.from({ length: 1001 }, () => one) })).toBe('LIMIT_EXCEEDED')
  })

  test("never select another user's events", async () => {
    const device = newId()
    await userWith([{ device }])
    const { user: otherUser } = await userWith([])
    for (const filter of [{ deviceId: [device] }, { types: ['DEVICE_UPDATE'] }, { minDate: ago(DAY) }]) {
      expect(await list(otherUser, filter)).toMatchObject({ ids: [], total: 0 })
    }
  })
})

test('returns separate event pages and totals for each device in a list', async () => {
  const user = await app.createUser()
  const names = ['a', 'b', 'c']
  const ids: string[] = []
  for (const name of names) {
    const { registerDevice } = await user.data(
      'mutation ($name: String!) { registerDevice(name: $name) { device { id } } }',
      { name },
    )
    ids.push(registerDevice.device.id)
  }
  for (const name of ['a2', 'a3']) {
    await user.data('mutation ($id: String!, $name: String) { updateDevice(deviceId: $id, name: $name) { id } }', {
      id: ids[0],
      name,
    })
  }
  const { login } = await user.data(`{ login { devices(sort: "created") { items {
    all: events { total hasMore items { type target { id kind } } }
    newest: events(size: 1) { total hasMore items { type actor { id } owner { email } } }
    registered: events(types: [DEVICE_REGISTER]) { total items { type } } } } } }`)
  const [a, b] = login.devices.items
  expect(a.all).toMatchObject({ total: 3, hasMore: false })
  expect(a.all.items.map(({ type }: { type: string }) => type)).toEqual([
    'DEVICE_UPDATE',
    'DEVICE_UPDATE',
    'DEVICE_REGISTER',
  ])
  expect(a.all.items[0].target).toEqual([{ id: ids[0], kind: 'device' }])
  expect(a.newest).toEqual({
    total: 3,
    hasMore: true,
    items: [{ type: 'DEVICE_UPDATE', actor: { id: user.accountId }, owner: { email: user.email } }],
  })
  expect(b.all).toMatchObject({
    total: 1,
    hasMore: false,
    items: [{ type: 'DEVICE_REGISTER', target: [{ id: ids[1] }] }],
  })
  expect(b.registered).toEqual({ total: 1, items: [{ type: 'DEVICE_REGISTER' }] })
})

describe('the event download', () => {
  const urlOf = async (user: TestUser, variables: Record<string, unknown> = {}): Promise<string> =>
    (
      await user.data(
        'query ($minDate: DateTime, $types: [EventType!]) { login { eventsUrl(minDate: $minDate, types: $types) } }',
        variables,
      )
    ).login.eventsUrl

  const rejection = async (url: string) => {
    const response = await fetch(url)
    const { errors } = (await response.json()) as { errors: { extensions: { code: string } }[] }
    return [response.status, errors[0]?.extensions.code]
  }

  test('returns all events as CSV, newest first, even if the server reads several pages', async () => {
    const { user, ids } = await userWith(Array.from({ length: 2_300 }, (_, number) => ({ name: `device ${number}` })))
    const url = await urlOf(user)
    expect(url.startsWith(`${app.url}/events/v1.csv?`)).toBe(true)
    const response = await fetch(url)
    expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8')
    const lines = (await response.text()).trimEnd().split('\n')
    expect(lines[0]).toBe('id,timestamp,type,deviceId,actorId,target,state,data,source,sourceId,sourceName')
    expect(lines[1]).toContain('DOWNLOAD_LINK_CREATE')
    expect(lines.slice(2).map((line) => line.split(',')[0])).toEqual([...ids].reverse())
  })

  test('quotes cells and escapes formulas', async () => {
    const { user } = await userWith([{ name: '=1+2, "x"\nline', data: { changes: { a: 'b' } } }])
    const text = await (await fetch(await urlOf(user))).text()
    expect(text).toContain(`"'=1+2, ""x""\nline"`)
    expect(text).toContain(`"{""changes"":{""a"":""b""}}"`)
  })

  test("applies the link's filters", async () => {
    const { user, ids } = await userWith([
      { at: ago(60 * DAY) },
      { type: 'ATTRIBUTE_CHANGE', at: ago(50 * DAY) },
      { type: 'ATTRIBUTE_CHANGE' },
    ])
    const idsOf = async (url: string) =>
      (await (await fetch(url)).text())
        .trimEnd()
        .split('\n')
        .slice(1)
        .map((line) => line.split(',')[0])
    expect((await idsOf(await urlOf(user))).slice(1)).toEqual([ids[2]])
    expect(await idsOf(await urlOf(user, { minDate: ago(90 * DAY), types: ['ATTRIBUTE_CHANGE'] }))).toEqual([
      ids[2],
      ids[1],
    ])
  })

  test('rejects a changed or expired link', async () => {
    const { user } = await userWith([{}])
    const url = await urlOf(user)
    const at = url.indexOf('link=') + 12
    for (const wrong of [
      url.slice(0, -2),
      `${url.slice(0, at)}${url[at] === 'A' ? 'B' : 'A'}${url.slice(at + 1)}`,
      `${app.url}/events/v1.csv`,
    ]) {
      expect(await rejection(wrong)).toEqual([401, 'UNAUTHENTICATED'])
    }
    try {
      ahead = 3_000_000
      expect((await fetch(url)).status).toBe(200)
      ahead = 3_601_000
      expect(await rejection(url)).toEqual([401, 'UNAUTHENTICATED'])
    } finally {
      ahead = 0
    }
  })

  test('rejects a link created with an access key that is now disabled', async () => {
    const { user } = await userWith([{}])
    const url = await urlOf(user)
    await user.data('mutation ($key: String!) { updateAccessKey(key: $key, enabled: false) { enabled } }', {
      key: user.keyId,
    })
    expect(await rejection(url)).toEqual([401, 'UNAUTHENTICATED'])
  })
})
