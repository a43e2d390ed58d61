import { sql } from 'kysely'
import { beforeAll, expect, it } from 'vitest'
import { sharedTestApp, type TestUser } from '../../../../test/harness/app.ts'
import { createEventPartitions } from '../../../db/event-partitions.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

const app = sharedTestApp()

// Early in a month, some events of these tests are in the previous month, for which a new database has no partition.
beforeAll(() => createEventPartitions(app.db, new Date(Date.now() - 31 * DAY)))

async function userWithEvents(times: readonly Date[]): Promise<TestUser> {
  const user = await app.createUser()
  await sql`delete from event where account_id = ${user.accountId}`.execute(app.db)
  for (const time of times) {
    await sql`insert into event (account_id, "timestamp", type, targets, data)
      values (${user.accountId}, ${time}, 'DEVICE_UPDATE', '[]', '{}')`.execute(app.db)
  }
  return user
}

interface EventCount {
  from: string
  until: string
  count: number
}

const document = `query ($intervals: Int, $minDate: DateTime, $maxDate: DateTime, $types: [EventType!], $where: String, $view: ID) { login {
  eventCounts(intervals: $intervals, minDate: $minDate, maxDate: $maxDate, types: $types, where: $where, view: $view) { from until count }
  events(minDate: $minDate, maxDate: $maxDate, types: $types, where: $where, view: $view) { total } } }`

/** Returns the counts. Checks that the intervals are adjacent, and that the counts add up to the list's total. */
async function counts(user: TestUser, variables: Record<string, unknown> = {}): Promise<EventCount[]> {
  const { login } = await user.data(document, variables)
  const found: EventCount[] = login.eventCounts
  expect(found.reduce((sum, { count }) => sum + count, 0)).toBe(login.events.total)
  for (const [index, { from }] of found.slice(1).entries()) expect(from).toBe(found[index]!.until)
  return found
}

const code = async (user: TestUser, variables: Record<string, unknown>): Promise<string | undefined> =>
  (await user.query(document, variables)).errors?.[0]?.extensions.code

it('counts events in intervals of round length that cover the range exactly', async () => {
  const day = new Date(Math.floor(Date.now() / DAY) * DAY - 2 * DAY)
  const at = (minutes: number): Date => new Date(day.getTime() + minutes * MINUTE)
  const user = await userWithEvents([at(-1), at(5), at(70), at(119), at(120), at(24 * 60)])
  const range = { minDate: at(5).toISOString(), maxDate: at(3 * 60).toISOString() }
  const byHour = await counts(user, { ...range, intervals: 3 })
  expect(byHour.map(({ count }) => count)).toEqual([1, 2, 1])
  expect(byHour.map(({ from }) => from)).toEqual([at(5), at(60), at(120)].map((time) => time.toISOString()))
  expect(byHour.at(-1)?.until).toBe(range.maxDate)
  expect((await counts(user, { ...range, intervals: 2 })).map(({ count }) => count)).toEqual([3, 1])
  expect((await counts(user, { ...range, intervals: 1 })).map(({ count }) => count)).toEqual([4])
  const precise = await counts(user, { minDate: at(70).toISOString(), maxDate: at(71).toISOString(), intervals: 200 })
  expect(precise).toHaveLength(60)
  expect(precise[0]?.count).toBe(1)
})

it('covers the last month by default, and many years on request', async () => {
  const now = Date.now()
  const user = await userWithEvents([new Date(now - 5 * MINUTE), new Date(now - 10 * DAY)])
  const month = await counts(user)
  expect(month.length).toBeGreaterThan(27)
  expect(month.length).toBeLessThanOrEqual(60)
  expect(month.reduce((sum, { count }) => sum + count, 0)).toBe(2)
  expect(Date.parse(month.at(-1)!.until)).toBeGreaterThanOrEqual(now)
  expect((await counts(user, { minDate: '1900-01-01T00:00:00Z' })).length).toBeLessThanOrEqual(60)
  expect(await counts(user, { minDate: new Date(now + DAY).toISOString() })).toEqual([])
  const empty = new Date(now).toISOString()
  expect(await counts(user, { minDate: empty, maxDate: empty })).toEqual([])
})

it('counts only events that match the type, the filter, and the view', async () => {
  const user = await app.createUser()
  await user.data('mutation { registerDevice(name: "pump") { device { id } } }')
  const { createView } = await user.data(
    'mutation { createView(name: "Pumps", kind: EVENTS, where: "target.name = pump") { id } }',
  )
  const sum = async (variables: object): Promise<number> =>
    (await counts(user, { ...variables })).reduce((total, { count }) => total + count, 0)
  expect(await sum({ types: ['DEVICE_REGISTER'] })).toBe(1)
  expect(await sum({ types: ['DEVICE_DELETE'] })).toBe(0)
  expect(await sum({ where: 'type = VIEW_CREATE' })).toBe(1)
  expect(await sum({ view: createView.id })).toBe(1)
  expect(await sum({ view: createView.id, where: 'type = VIEW_CREATE' })).toBe(0)
})

it('rejects invalid arguments', async () => {
  const user = await userWithEvents([])
  for (const intervals of [0, 201]) expect(await code(user, { intervals })).toBe('BAD_USER_INPUT')
  expect(await code(user, { where: 'chnged = x' })).toBe('BAD_USER_INPUT')
  expect(await code(user, { minDate: '2026-02-01T00:00:00Z', maxDate: '2026-01-01T00:00:00Z' })).toBe('BAD_USER_INPUT')
})
