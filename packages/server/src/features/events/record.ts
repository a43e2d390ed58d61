import type { Context } from '../../context.ts'
import { type Database, query } from '../../db/database.ts'
import type { Viewer } from '../../viewer.ts'
import { selectNextIds } from './event-ids.queries.ts'
import { eventInsert } from './event-insert.ts'
import { sourceOf } from './event-source.ts'
import type { EventSource, EventTypeName, Target } from './event-types.ts'

export interface NewEvent {
  /** The event's number, if `drawEventIds` has assigned one. Either all events of a call have one, or none has. */
  id?: string
  type: EventTypeName
  /** The ID of the device that the event belongs to, if any. */
  deviceId?: string
  targets: Target[]
  state?: 'active' | 'inactive'
  /** The source of the change. The default is the viewer's credentials. */
  source?: EventSource
  data: Record<string, unknown>
  /** The values before the change that `data` does not contain. The API does not show them. */
  previous?: Record<string, unknown> | undefined
}

/** Returns the ID of the person who made the request, or null for a device or the server. */
export const actorOf = ({ accountId, personId = accountId, isDevice, isServer }: Viewer): string | null =>
  isDevice === true || isServer === true ? null : personId

/**
 * Writes events to the viewer's account. Call this last in the transaction that makes the change, after locking the
 * changed rows. The locks keep event IDs in the order of the changes.
 */
export async function recordEvents(
  db: Database,
  { viewer }: Pick<Context, 'viewer'>,
  events: readonly NewEvent[],
): Promise<void> {
  if (events.length === 0) return
  const rows = events.map(({ id, type, deviceId, targets, state, source = sourceOf(viewer), data, previous }) => ({
    id,
    type,
    device_id: deviceId,
    targets,
    state,
    source,
    data,
    previous,
  }))
  await query(db, events[0]!.id === undefined ? insertText : insertNumberedText, [
    viewer.accountId,
    actorOf(viewer),
    JSON.stringify(rows),
  ])
}

/**
 * Assigns the numbers of events that a transaction records at its end, so that other rows can contain the numbers. Call
 * this after the transaction has locked a row: the feed must know of the transaction before the numbers are assigned.
 */
export const drawEventIds = (db: Database, count: number): Promise<string[]> => selectNextIds(db, count)

const rows = {
  accountId: '$1',
  type: 'type',
  deviceId: 'device_id',
  actorId: '$2',
  source: 'source',
  targets: 'targets',
  state: 'state',
  data: 'data',
  previous: 'previous',
  from: `jsonb_to_recordset($3::jsonb)
    as row (id bigint, type text, device_id text, source jsonb, targets jsonb, state text, data jsonb, previous jsonb)`,
}
const insertText = eventInsert(rows)
const insertNumberedText = eventInsert({ ...rows, id: 'id' })

/**
 * Returns the old and new values of the changed fields for an event, or undefined if no field changed. Compares arrays
 * and times by their contents.
 */
export function fieldChanges<Fields extends object>(
  before: Fields,
  after: Fields,
): Record<string, { old: unknown; new: unknown }> | undefined {
  const changes: Record<string, { old: unknown; new: unknown }> = {}
  for (const field of Object.keys(after) as (keyof Fields & string)[]) {
    if (JSON.stringify(before[field]) !== JSON.stringify(after[field]))
      changes[field] = { old: before[field] ?? null, new: after[field] }
  }
  return Object.keys(changes).length === 0 ? undefined : changes
}
