import type { Context } from '../../context.ts'
import { type Database, query } from '../../db/database.ts'
import type { Viewer } from '../../viewer.ts'
import { type NextIds, selectNextIds } from './event-ids.queries.ts'
import { eventInsert, oneEventInsert } from './event-insert.ts'
import { actorOf, sourceOf } from './event-source.ts'
import type { EventSource, EventTypeName, Target } from './event-types.ts'

export interface NewEvent {
  /** The event's ID, if `drawEventIds` has assigned one. Either all events of a call have an ID, or none do. */
  id?: string
  type: EventTypeName
  deviceId?: string
  targets: Target[]
  state?: 'active' | 'inactive'
  /**
   * The change's time, if the change also stores this time elsewhere. The default is the time at which the event is
   * recorded.
   */
  timestamp?: Date | undefined
  /** The default is the viewer's source (`sourceOf`). */
  source?: EventSource
  data: Record<string, unknown>
  /** Values that the change replaced and that `data` does not contain. The API does not show them. */
  previous?: Record<string, unknown> | undefined
}

/**
 * Call this last in the transaction that makes the change, after locking the changed rows. The locks keep event IDs in
 * the order of the changes.
 */
export async function recordEvents(
  db: Database,
  { viewer }: Pick<Context, 'viewer'>,
  events: readonly NewEvent[],
): Promise<void> {
  if (events.length === 0) return
  const account = [viewer.accountId, actorOf(viewer)]
  const rows = events.map((event) => rowOf(event, viewer))
  const isNumbered = rows[0]!.id !== undefined
  if (rows.length > 1)
    await query(db, insertTexts[isNumbered ? 'numbered' : 'usual'], [...account, JSON.stringify(rows)])
  else await query(db, oneInsertTexts[isNumbered ? 'numbered' : 'usual'], [...account, ...valuesOf(rows[0]!)])
}

type Row = ReturnType<typeof rowOf>

const rowOf = ({ deviceId, source, ...event }: NewEvent, viewer: Viewer) => ({
  ...event,
  device_id: deviceId,
  source: source ?? sourceOf(viewer),
})

/** Returns the parameters of a statement for one event, starting with the third parameter. */
const valuesOf = ({ id, timestamp, type, device_id, targets, state, source, data, previous }: Row): unknown[] => [
  type,
  device_id ?? null,
  JSON.stringify(source),
  JSON.stringify(targets),
  state ?? null,
  JSON.stringify(data),
  previous === undefined ? null : JSON.stringify(previous),
  timestamp ?? null,
  ...(id === undefined ? [] : [id]),
]

/**
 * Call this after the transaction has locked a row. The lock assigns a transaction ID to the transaction, which must
 * happen before the event IDs are assigned.
 */
export const drawEventIds = (db: Database, count: number): Promise<NextIds> => selectNextIds(db, count)

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
  timestamp: 'coalesce("timestamp", clock_timestamp())',
  from: `jsonb_to_recordset($3::jsonb)
    as row (id bigint, "timestamp" timestamptz, type text, device_id text, source jsonb, targets jsonb, state text, data jsonb, previous jsonb)`,
}
const insertTexts = { usual: eventInsert(rows), numbered: eventInsert({ ...rows, id: 'id' }) }

const row = {
  accountId: '$1',
  actorId: '$2',
  type: '$3',
  deviceId: '$4',
  source: '$5::jsonb',
  targets: '$6::jsonb',
  state: '$7',
  data: '$8::jsonb',
  previous: '$9::jsonb',
  timestamp: 'coalesce($10::timestamptz, clock_timestamp())',
}
const oneInsertTexts = { usual: oneEventInsert(row), numbered: oneEventInsert({ ...row, id: '$11::bigint' }) }

/** Compares arrays and times by their contents. Returns undefined if no field changed. */
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
