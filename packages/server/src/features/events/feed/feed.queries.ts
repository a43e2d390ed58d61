import { type Database, query } from '../../../db/database.ts'
import type { EventFilter } from '../event-filter.ts'
import type { EventSource, EventTypeName, Target } from '../event-types.ts'
import { type FittingRow, fitting } from '../fitting.ts'
import type { FeedEvent } from './feed-event.ts'

/** The end of the event log at one moment. */
export interface LogEnd {
  /** The last id that was assigned. */
  last: bigint
  /** All transactions that were assigned event ids up to `last` have transaction ids below this one. */
  nextTransaction: bigint
  /** All transactions with ids below this one have ended, and their writes are visible. */
  ended: bigint
}

/**
 * Does not use up a transaction id. `last` is read first, from the row of the sequence, and the next transaction id after it.
 * `pg_snapshot_xmax` alone is not an upper limit, because it excludes transactions that began after the last one that ended.
 */
export async function readLogEnd(db: Database): Promise<LogEnd> {
  const rows = await query<Record<keyof LogEnd, string>>(
    db,
    `select case when is_called then last_value else 0 end::text as last,
      (x + ((age('3'::xid)::bigint + 3 - (x & 4294967295)) & 4294967295))::text as "nextTransaction",
      pg_snapshot_xmin(pg_current_snapshot())::text as ended
    from event_id, lateral (select pg_snapshot_xmax(pg_current_snapshot())::text::bigint) as snapshot (x)`,
    [],
  )
  const { last, nextTransaction, ended } = rows[0]!
  return { last: BigInt(last), nextTransaction: BigInt(nextTransaction), ended: BigInt(ended) }
}

interface Row extends FittingRow {
  number: string
  accountId: string
  type: EventTypeName
  timestamp: Date
  deviceId: string | null
  actorId: string | null
  source: EventSource | null
  targets: string
  state: 'active' | 'inactive' | null
  data: string
}

// The two objects as strings, so that consumers that keep events in memory know their size.
const columns = `account_id as "accountId", type, "timestamp", device_id as "deviceId", actor_id as "actorId",
  source, targets::text, state, data::text`

export interface Range {
  /** Exclusive. */
  after: bigint
  /** Inclusive. Must be settled, because events can still be missing below an id that is not settled. */
  upTo: bigint
  limit: number
}

/** The events of a range, or of its start if the limit or the size ends it earlier. */
export interface FeedPage {
  events: FeedEvent[]
  /** The events are complete up to and including this id. */
  upTo: bigint
}

const inOrder = fitting('number')

/** The events of all accounts, in order. */
export async function readSettled(db: Database, range: Range): Promise<FeedPage> {
  const rows = await query<Row>(
    db,
    // The index across accounts is on `id + 0`.
    `${inOrder.head} select event.id + 0 as number, ${columns} from event where id + 0 > $1::bigint and id + 0 <= $2::bigint
     order by event.id + 0 limit $3 ${inOrder.tail}`,
    [String(range.after), String(range.upTo), range.limit],
  )
  return toPage(rows, range)
}

/** The events of one account with the given types and devices, in order. */
export async function readSettledOfAccount(
  db: Database,
  accountId: string,
  { types, deviceIds, ...range }: Range & Pick<EventFilter, 'types' | 'deviceIds'>,
): Promise<FeedPage> {
  const chosen = [
    ...(types === undefined ? [] : [{ condition: 'type = any', value: types }]),
    ...(deviceIds === undefined ? [] : [{ condition: 'device_id = any', value: deviceIds }]),
  ]
  const rows = await query<Row>(
    db,
    `${inOrder.head} select event.id as number, ${columns} from event where account_id = $1 and id > $2::bigint and id <= $3::bigint
     ${chosen.map(({ condition }, index) => `and ${condition}($${index + 5})`).join(' ')}
     order by event.id limit $4 ${inOrder.tail}`,
    [accountId, String(range.after), String(range.upTo), range.limit, ...chosen.map(({ value }) => value)],
  )
  return toPage(rows, range)
}

/** The ids of the account's events in a range that need not be settled. Uncommitted events are missing. */
export async function selectNumbers(db: Database, accountId: string, { after, upTo, limit }: Range): Promise<string[]> {
  const rows = await query<{ id: string }>(
    db,
    'select id::text from event where account_id = $1 and id > $2::bigint and id <= $3::bigint order by event.id limit $4',
    [accountId, String(after), String(upTo), limit],
  )
  return rows.map(({ id }) => id)
}

function toPage(rows: readonly Row[], { upTo, limit }: Range): FeedPage {
  const last = rows.at(-1)
  const mayHaveMore = last !== undefined && (last.hasNext || rows.length === limit)
  return { events: rows.map(toFeedEvent), upTo: mayHaveMore ? BigInt(last.number) : upTo }
}

function toFeedEvent({
  number,
  accountId,
  type,
  timestamp,
  deviceId,
  actorId,
  source,
  targets,
  state,
  data,
}: Row): FeedEvent {
  const bytes = FIXED_BYTES + 2 * (targets.length + data.length)
  return {
    id: number,
    accountId,
    type,
    timestamp,
    deviceId,
    actorId,
    source,
    state,
    targets: JSON.parse(targets) as Target[],
    data: JSON.parse(data) as Record<string, unknown>,
    bytes,
  }
}

/** Approximate bytes of memory of an event without its objects. */
const FIXED_BYTES = 500
