import { type Database, query } from '../../../db/database.ts'
import type { EventFilter } from '../event-filter.ts'
import type { Target } from '../event-types.ts'
import { type FittingRow, fitting } from '../size-limit.ts'
import type { FeedEvent } from './feed-event.ts'

export interface TransactionIds {
  /** All transaction IDs that have been assigned so far are below this value. */
  nextTransaction: bigint
  /** Every transaction with an ID below this value has ended, and its writes are visible. */
  ended: bigint
}

/** The end of the event log. The transaction IDs were read after `last`, the last assigned event ID. */
export interface LogEnd extends TransactionIds {
  last: bigint
  /** The transaction IDs of each node of a cluster, keyed by node ID. They were read after the other values. */
  nodes?: ReadonlyMap<string, TransactionIds>
}

const nextText = `(x + ((age('3'::xid)::bigint + 3 - (x & 4294967295)) & 4294967295))::text`
const endedText = 'pg_snapshot_xmin(pg_current_snapshot())::text'
const snapshot = '(select pg_snapshot_xmax(pg_current_snapshot())::text::bigint) as snapshot (x)'

/**
 * Reads the end of the event log without consuming a transaction ID. The statement reads `last` from the sequence's row
 * before it reads the next transaction ID. `pg_snapshot_xmax` alone would be too low, because it excludes transactions
 * that began after the most recently ended transaction.
 */
export async function readLogEnd(db: Database): Promise<LogEnd> {
  const rows = await query<Record<'last' | keyof TransactionIds, string>>(
    db,
    `select case when is_called then last_value else 0 end::text as last,
      ${nextText} as "nextTransaction", ${endedText} as ended
    from event_id, lateral ${snapshot}`,
    [],
  )
  const { last, nextTransaction, ended } = rows[0]!
  return { last: BigInt(last), nextTransaction: BigInt(nextTransaction), ended: BigInt(ended) }
}

/** Returns the transaction IDs of each node of the cluster, keyed by node ID. Throws if a node does not respond. */
export async function readNodes(db: Database): Promise<ReadonlyMap<string, TransactionIds>> {
  const rows = await query<{ node: string; success: boolean; result: string }>(
    db,
    'select nodeid::text as node, success, result from run_command_on_all_nodes($1)',
    [`select ${nextText} || ' ' || ${endedText} from ${snapshot}`],
  )
  return new Map(
    rows.map(({ node, success, result }) => {
      if (!success) throw new Error(`cannot read the transaction IDs of cluster node ${node}: ${result}`)
      const [nextTransaction, ended] = result.split(' ').map(BigInt)
      return [node, { nextTransaction: nextTransaction!, ended: ended! }]
    }),
  )
}

interface Row extends FittingRow, Omit<FeedEvent, 'id' | 'targets' | 'data' | 'bytes'> {
  number: string
  targets: string
  data: string
}

// The statement selects `targets` and `data` as strings, because their lengths determine the event's size in memory.
const columns = `account_id as "accountId", type, "timestamp", device_id as "deviceId", actor_id as "actorId",
  source, targets::text, state, data::text`

export interface Range {
  /** The range begins after this ID. */
  after: bigint
  /** The last ID of the range. Must be settled, because transactions can commit events below an unsettled ID. */
  upTo: bigint
  limit: number
}

/** If the range exceeds the limit on events or bytes, the page contains only the first events. */
export interface FeedPage {
  events: FeedEvent[]
  /** `events` is complete up to and including this ID. */
  upTo: bigint
}

const inOrder = fitting('number')

export async function readSettled(db: Database, range: Range): Promise<FeedPage> {
  const rows = await query<Row>(
    db,
    // The index that spans all accounts is on `id + 0`, so only this expression can use it.
    `${inOrder.head} select event.id + 0 as number, ${columns} from event where id + 0 > $1::bigint and id + 0 <= $2::bigint
     order by event.id + 0 limit $3 ${inOrder.tail}`,
    [String(range.after), String(range.upTo), range.limit],
  )
  return toPage(rows, range)
}

export async function readSettledOfAccount(
  db: Database,
  accountId: string,
  { types, deviceIds, devicesOnly, ...range }: Range & Pick<EventFilter, 'types' | 'deviceIds' | 'devicesOnly'>,
): Promise<FeedPage> {
  const chosen = [
    ...(types === undefined ? [] : [{ condition: 'type = any', value: types }]),
    ...(deviceIds === undefined ? [] : [{ condition: 'device_id = any', value: deviceIds }]),
  ]
  const rows = await query<Row>(
    db,
    `${inOrder.head} select event.id as number, ${columns} from event where account_id = $1 and id > $2::bigint and id <= $3::bigint
     ${devicesOnly === true ? 'and device_id is not null' : ''} ${chosen.map(({ condition }, index) => `and ${condition}($${index + 5})`).join(' ')}
     order by event.id limit $4 ${inOrder.tail}`,
    [accountId, String(range.after), String(range.upTo), range.limit, ...chosen.map(({ value }) => value)],
  )
  return toPage(rows, range)
}

/** Returns the IDs of the first `limit` events in a range, which does not have to be settled. */
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

function toFeedEvent({ number, hasNext: _next, bytesBefore: _bytes, targets, data, ...event }: Row): FeedEvent {
  return {
    ...event,
    id: number,
    targets: JSON.parse(targets) as Target[],
    data: JSON.parse(data) as Record<string, unknown>,
    bytes: FIXED_BYTES + 2 * (targets.length + data.length),
  }
}

/** The approximate size of an event in memory, in bytes, without `targets` and `data`. */
const FIXED_BYTES = 500
