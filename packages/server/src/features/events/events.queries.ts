import type { ReadableNames } from '@muster/filter'
import { type RawBuilder, sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import { eventCondition } from '../filters/sql/event-conditions.ts'
import { noTables } from '../filters/sql/filter-scope.ts'
import { isInside } from '../filters/sql/reachable-devices.ts'
import { isReadable } from '../filters/sql/readable-names.ts'
import type { Event } from './event.ts'
import type { EventFilter } from './event-filter.ts'
import { type FittingRow, fitting } from './size-limit.ts'

type Sql = RawBuilder<unknown>

/** A page of the matching events, newest first. */
export interface EventSlice {
  filter: EventFilter
  start: { afterId: string } | { offset: number }
  limit: number
}

const columns = sql.raw(
  `id::text, type, "timestamp", device_id as "deviceId", actor_id as "actorId", source, targets, state, data`,
)

const all = (conditions: readonly Sql[]): Sql => sql.join([...conditions], sql` and `)

function matching(
  accountId: string,
  { from, until, types, deviceIds, devicesOnly, inside, readable, fromId, where }: EventFilter,
): Sql[] {
  const conditions = [sql`account_id = ${accountId}`]
  if (from !== undefined) conditions.push(sql`"timestamp" >= ${from}`)
  if (until !== undefined) conditions.push(sql`"timestamp" < ${until}`)
  if (types !== undefined) conditions.push(sql`type = any(${types})`)
  if (deviceIds !== undefined) conditions.push(sql`device_id = any(${deviceIds})`)
  if (fromId !== undefined) conditions.push(sql`event.id >= ${fromId}::bigint`)
  if (devicesOnly === true) conditions.push(sql`device_id is not null`)
  conditions.push(...isInside(accountId, inside, sql`event.device_id`))
  if (readable !== undefined) conditions.push(hasReadableChange(readable))
  if (where !== undefined) conditions.push(eventCondition(where.filter, { ...where, accountId, tables: noTables() }))
  return conditions
}

/** The caller can read an attribute change if they can read at least one of the changed attributes. */
const hasReadableChange = (readable: ReadableNames): Sql => sql`(event.type <> 'ATTRIBUTE_CHANGE' or exists (
  select from jsonb_object_keys(case when jsonb_typeof(event.data -> 'changes') = 'object'
    then event.data -> 'changes' else '{}' end) as changed (name) where ${isReadable(sql`changed.name`, readable)}))`

/** The condition applies to rows of the table `event`. */
export const matchingEvents = (accountId: string, filter: EventFilter): Sql => all(matching(accountId, filter))

function slice(conditions: readonly Sql[], { start, limit }: EventSlice, selected = columns): Sql {
  const afterStart = 'afterId' in start ? [sql`id < ${start.afterId}::bigint`] : []
  const offset = 'offset' in start && start.offset > 0 ? sql`offset ${start.offset}` : sql``
  return sql`select ${selected} from event where ${all([...conditions, ...afterStart])} order by event.id desc limit ${limit} ${offset}`
}

export async function selectEvents(db: Database, accountId: string, page: EventSlice): Promise<Event[]> {
  const { rows } = await sql<Event>`${slice(matching(accountId, page.filter), page)}`.execute(db)
  return rows
}

/** Returns the ID of the oldest event on the page, or undefined if the page is not full. */
export async function findWindowEnd(db: Database, accountId: string, page: EventSlice): Promise<string | undefined> {
  const { rows } = await sql<{ id: string; examined: number }>`
    select min(number)::text as id, count(*)::int as examined
    from (${slice(matching(accountId, page.filter), page, sql`event.id as number`)}) as examined`.execute(db)
  const { id, examined } = rows[0]!
  return examined < page.limit ? undefined : id
}

export interface FittingEvents {
  events: Event[]
  mayHaveMore: boolean
}

const newestFirst = fitting('number desc')
const numbered = sql`event.id as number, ${columns}`

/** Like `selectEvents`, but returns fewer events if the events are large. */
export async function selectFittingEvents(db: Database, accountId: string, page: EventSlice): Promise<FittingEvents> {
  const selected = slice(matching(accountId, page.filter), page, numbered)
  const { rows } = await sql<Event & FittingRow>`
    ${sql.raw(newestFirst.head)} ${selected} ${sql.raw(newestFirst.tail)}`.execute(db)
  return { events: rows, mayHaveMore: rows.length === page.limit || rows.at(-1)?.hasNext === true }
}

export async function selectEventsOfDevices(
  db: Database,
  accountId: string,
  { deviceIds, page }: { deviceIds: readonly string[]; page: EventSlice },
): Promise<Event[]> {
  const conditions = [...matching(accountId, page.filter), sql`device_id = device.id`]
  const { rows } = await sql<Event>`
    select found.* from unnest(${deviceIds}::text[]) as device (id)
    cross join lateral (${slice(conditions, page)}) as found`.execute(db)
  return rows
}

export async function countEvents(db: Database, accountId: string, filter: EventFilter): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from event where ${matchingEvents(accountId, filter)}`.execute(db)
  return rows[0]!.count
}

/** Returns the counts, keyed by device ID. Omits devices without matching events. */
export async function countEventsOfDevices(
  db: Database,
  accountId: string,
  { deviceIds, filter }: { deviceIds: readonly string[]; filter: EventFilter },
): Promise<Map<string, number>> {
  const { rows } = await sql<{ id: string; count: number }>`
    select device_id as id, count(*)::int as count from event
    where ${all(matching(accountId, { ...filter, deviceIds }))} group by device_id`.execute(db)
  return new Map(rows.map(({ id, count }) => [id, count]))
}

export async function selectEventsByIds(db: Database, accountId: string, ids: readonly string[]): Promise<Event[]> {
  const { rows } = await sql<Event>`
    select ${columns} from event where account_id = ${accountId} and id = any(${ids}::bigint[])`.execute(db)
  return rows
}

export async function eventExists(
  db: Database,
  accountId: string,
  { id, filter }: { id: string; filter: EventFilter },
): Promise<boolean> {
  const conditions = [...matching(accountId, filter), sql`id = ${id}::bigint`]
  const { rows } = await sql`select from event where ${all(conditions)}`.execute(db)
  return rows.length > 0
}
