import pg from 'pg'
import { beforeAll, describe, expect, it } from 'vitest'
import { type QueryResponse, sharedTestApp, type TestUser } from '../../../test/harness/app.ts'
import { type Database, query } from '../../db/database.ts'
import { monthBefore } from './event-filter.ts'

const app = sharedTestApp()
beforeAll(async () => {
  await createPartitionForOldEvents(app.db)
})

/** Creates a partition for all times before the first partition, because tests insert old events. */
async function createPartitionForOldEvents(db: Database): Promise<void> {
  const inherits = `select min(inhrelid::regclass::text) as first from pg_inherits where inhparent = 'event'::regclass`
  const [row] = await query<{ first: string }>(db, inherits, [])
  const month = row!.first.replace(/^event_(\d+)_(\d+)$/, '$1-$2-01T00:00:00Z')
  await query(db, `create table event_before partition of event for values from (minvalue) to ('${month}')`, [])
}

interface OldEvent {
  timestamp: string
  type?: string
  deviceId?: string
}

async function insertEvents({ accountId }: TestUser, events: readonly OldEvent[]): Promise<string[]> {
  const ids: string[] = []
  for (const { timestamp, type = 'DEVICE_UPDATE', deviceId = null } of events) {
    const [row] = await query<{ id: string }>(
      app.db,
      `insert into event (account_id, type, device_id, targets, data, "timestamp") values ($1, $2, $3, '[]', '{}', $4)
       returning id::text`,
      [accountId, type, deviceId, timestamp],
    )
    ids.push(row!.id)
  }
  return ids
}

async function userWithoutEvents(): Promise<TestUser> {
  const user = await app.createUser()
  await query(app.db, 'delete from event where account_id = $1', [user.accountId])
  return user
}

interface Page {
  items: { id: string; type: string; timestamp: string }[]
  total: number
  hasMore: boolean
  last: string | null
  cursor: string | null
}

const document = `query ($size: Int, $from: Int, $after: ID, $last: String, $minDate: DateTime, $maxDate: DateTime, $types: [EventType!], $deviceId: [String!]) {
  login {
    events(size: $size, from: $from, after: $after, last: $last, minDate: $minDate, maxDate: $maxDate, types: $types, deviceId: $deviceId) {
      items { id type timestamp } total hasMore last cursor
    }
  }
}`

const list = async (user: TestUser, variables: Record<string, unknown> = {}): Promise<Page> =>
  (await user.data(document, { size: 1_000, ...variables })).login.events

const idsOf = async (user: TestUser, variables: Record<string, unknown> = {}): Promise<string[]> =>
  (await list(user, variables)).items.map(({ id }) => id)

const codeOf = ({ errors }: QueryResponse): unknown => errors?.[0]?.extensions.code

const errorCode = async (user: TestUser, variables: Record<string, unknown>): Promise<unknown> =>
  codeOf(await user.query(document, variables))

const minutesAgo = (minutes: number): string => new Date(Date.now() - minutes * 60_000).toISOString()

const newDevice = async (user: TestUser, name: string): Promise<string> =>
  (await user.data(`mutation { registerDevice(name: "${name}") { device { id } } }`)).registerDevice.device.id

const rename = (user: TestUser, deviceId: string, name: string): Promise<unknown> =>
  user.data(`mutation { updateDevice(deviceId: "${deviceId}", name: "${name}") { id } }`)

describe('the list of events', () => {
  it('returns all events, newest first, with every paging method', async () => {
    const user = await userWithoutEvents()
    const inserted = await insertEvents(
      user,
      Array.from({ length: 23 }, (_, index) => ({ timestamp: minutesAgo(60 - index) })),
    )
    const newestFirst = inserted.toReversed()
    expect(await idsOf(user)).toEqual(newestFirst)

    const byPosition: string[] = []
    for (let from = 1; from <= 23; from += 5) byPosition.push(...(await idsOf(user, { size: 5, from })))
    expect(byPosition).toEqual(newestFirst)

    const methods: ((page: Page) => Record<string, unknown>)[] = [
      ({ last }) => ({ last }),
      ({ last }) => ({ after: last }),
      ({ cursor }) => ({ after: cursor }),
      ({ cursor }) => ({ last: cursor, from: 9 }),
    ]
    for (const next of methods) {
      const received: string[] = []
      let page = await list(user, { size: 5 })
      for (;;) {
        received.push(...page.items.map(({ id }) => id))
        expect(page.last).toBe(page.items.at(-1)?.id)
        if (!page.hasMore) break
        page = await list(user, { size: 5, ...next(page) })
      }
      expect(received).toEqual(newestFirst)
    }
  })

  it('returns each existing event once if events are added between pages', async () => {
    const user = await userWithoutEvents()
    const inserted = await insertEvents(
      user,
      Array.from({ length: 9 }, () => ({ timestamp: minutesAgo(1) })),
    )
    const received: string[] = []
    let page = await list(user, { size: 2 })
    for (;;) {
      received.push(...page.items.map(({ id }) => id))
      if (!page.hasMore) break
      await insertEvents(user, [{ timestamp: minutesAgo(0) }])
      page = await list(user, { size: 2, last: page.last })
    }
    expect(received).toEqual(inserted.toReversed())
  })

  it('covers one month before maxDate by default', async () => {
    const user = await userWithoutEvents()
    const [, onTheDay, within] = await insertEvents(user, [
      { timestamp: '2023-02-27T23:59:59.999Z' },
      { timestamp: '2023-02-28T12:00:00.000Z' },
      { timestamp: '2023-03-30T12:00:00.000Z' },
      { timestamp: '2023-03-31T12:00:00.000Z' },
    ])
    expect(await idsOf(user, { maxDate: '2023-03-31T12:00:00Z' })).toEqual([within, onTheDay])
    expect(await idsOf(user, { maxDate: '0001-01-01' })).toEqual([])
  })

  it('returns the owner, actor, targets, and changes of an event', async () => {
    const user = await userWithoutEvents()
    const device = await newDevice(user, 'lamp')
    await rename(user, device, 'light')
    const { login } = await user.data(
      '{ login { events(size: 1) { items { owner { id email } actor { id email } target { id name kind } state data } } } }',
    )
    const self = { id: user.accountId, email: user.email }
    expect(login.events.items).toEqual([
      {
        owner: self,
        actor: self,
        target: [{ id: device, name: 'light', kind: 'device' }],
        state: null,
        data: { changes: { name: { old: 'lamp', new: 'light' } } },
      },
    ])
  })

  it.each([
    ['BAD_USER_INPUT', { size: 0 }],
    ['BAD_USER_INPUT', { size: 1_001 }],
    ['BAD_USER_INPUT', { from: 0 }],
    ['BAD_USER_INPUT', { from: -1 }],
    ['BAD_USER_INPUT', { after: '1', last: '2' }],
    ['BAD_USER_INPUT', { after: 'c1.AAAA' }],
    ['BAD_USER_INPUT', { last: 'c1.' }],
    ['BAD_USER_INPUT', { types: ['NO_SUCH'] }],
    ['BAD_USER_INPUT', { minDate: '2024-02-30' }],
    ['NOT_FOUND', { after: '999999999' }],
    ['NOT_FOUND', { after: '0' }],
    ['NOT_FOUND', { after: '-1' }],
    ['NOT_FOUND', { last: 'abc' }],
    ['NOT_FOUND', { last: '' }],
    ['NOT_FOUND', { after: '9'.repeat(40) }],
    ['NOT_FOUND', { after: '1\u0000' }],
    ['LIMIT_EXCEEDED', { deviceId: Array(1_001).fill('80:00:00:00:00:00:00:00') }],
  ])('returns %s for %j', async (code, variables) => {
    expect(await errorCode(app.owner, variables)).toBe(code)
  })

  it('accepts 1,000 device IDs, and rejects a cursor from another list', async () => {
    const user = await app.createUser()
    await newDevice(user, 'lamp')
    expect(await idsOf(user, { deviceId: Array(1_000).fill('80:00:00:00:00:00:00:00') })).toEqual([])
    const { login } = await user.data('{ login { devices { cursor } } }')
    expect(await errorCode(user, { after: login.devices.cursor })).toBe('BAD_USER_INPUT')
  })
})

describe('events', () => {
  it('are on a separate page for each device', async () => {
    const user = await userWithoutEvents()
    const devices = [await newDevice(user, 'a'), await newDevice(user, 'b')]
    for (const name of ['1', '2', '3']) for (const device of devices) await rename(user, device, `${device} ${name}`)
    const { login } = await user.data(
      '{ login { devices(sort: "created") { items { id events(size: 2) { items { id target { id } } total hasMore last cursor } } } } }',
    )
    expect(login.devices.items).toHaveLength(2)
    for (const { id, events } of login.devices.items) {
      expect(events).toMatchObject({ total: 4, hasMore: true, last: events.items[1].id })
      expect(events.items.flatMap((event: { target: unknown[] }) => event.target)).toEqual([{ id }, { id }])
      const next = `{ login { device(id: "${id}") { events(after: "${events.cursor}") { items { id } hasMore } } } }`
      const [{ events: rest }] = (await user.data(next)).login.device
      expect([...events.items, ...rest.items].map((event: { id: string }) => event.id)).toEqual(
        await idsOf(user, { deviceId: id }),
      )
    }
  })

  it('are read with one query for a page of devices, and counted with another', async () => {
    const user = await userWithoutEvents()
    for (let index = 0; index < 30; index++) await newDevice(user, `node-${index}`)
    const document = '{ login { devices { items { events(size: 3) { items { id } total } } } } }'
    // The first request also counts events to compute its rate-limit cost.
    await user.data(document)
    const statements = await statementsOn('event', () => user.data(document))
    expect(statements).toHaveLength(2)
  })

  it('are counted only if the query selects their total', async () => {
    const user = await userWithoutEvents()
    await newDevice(user, 'lamp')
    const statements = await statementsOn('event', () => user.data('{ login { events { items { id } } } }'))
    expect(statements).toHaveLength(1)
  })
})

async function statementsOn(table: string, run: () => Promise<unknown>): Promise<string[]> {
  const received: string[] = []
  const { query: original } = pg.Client.prototype
  pg.Client.prototype.query = function (this: pg.Client, ...args: unknown[]) {
    const [first] = args as [string | { text?: string }]
    const text = typeof first === 'string' ? first : (first.text ?? '')
    if (new RegExp(`\\bfrom ${table}\\b`).test(text)) received.push(text)
    return (original as (...all: unknown[]) => unknown).apply(this, args)
  } as typeof original
  try {
    await run()
  } finally {
    pg.Client.prototype.query = original
  }
  return received
}

describe('monthBefore', () => {
  it.each([
    ['2026-11-20T08:30:00.000Z', '2026-10-20T08:30:00.000Z'],
    ['2026-03-31T00:00:00.000Z', '2026-02-28T00:00:00.000Z'],
    ['2024-03-30T23:59:59.999Z', '2024-02-29T23:59:59.999Z'],
    ['2026-01-31T12:00:00.000Z', '2025-12-31T12:00:00.000Z'],
  ])('maps %s to %s', (date, expected) => {
    expect(monthBefore(new Date(date)).toISOString()).toBe(expected)
  })
})
