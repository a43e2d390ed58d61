import type { Target } from './event-types.ts'

/** Rows that become events. All values except `from` are SQL expressions over the rows. */
export interface EventRows {
  /** The rows: a CTE, a table, or a function, with its alias and joins, and conditions. */
  from: string
  accountId: string
  type: string
  deviceId?: string
  /** The user who made the change. Omitted if a device or the server made it. */
  actorId?: string
  source: string
  targets: string
  state?: string
  data?: string
  /** What the change replaces, as far as `data` does not contain it. */
  previous?: string
}

/** The columns that a change writes. `id` and `timestamp` have defaults. */
const columns: Record<string, (rows: EventRows) => string> = {
  account_id: ({ accountId }) => accountId,
  type: ({ type }) => type,
  device_id: ({ deviceId = 'null' }) => deviceId,
  actor_id: ({ actorId = 'null' }) => actorId,
  source: ({ source }) => source,
  targets: ({ targets }) => targets,
  state: ({ state = 'null' }) => state,
  data: ({ data = `'{}'::jsonb` }) => data,
  previous: ({ previous = 'null::jsonb' }) => previous,
}

const select = (rows: EventRows): string =>
  `select ${Object.values(columns)
    .map((of) => of(rows))
    .join(', ')}
    from ${rows.from}`

/**
 * Returns the statement that inserts events. This is the only place that names the columns of new events. Statements that make
 * a change contain the text, because a separate statement would cost a transaction (docs/decisions/0018).
 */
export const eventInsert = (...rows: readonly EventRows[]): string =>
  `insert into event (${Object.keys(columns).join(', ')})
    ${rows.map(select).join(' union all ')}`

/** Returns the SQL expression for an event's targets, from SQL expressions for their IDs and names. */
export const eventTargets = (...targets: readonly Target[]): string =>
  `jsonb_build_array(${targets
    .map(({ id, name, kind }) => `jsonb_build_object('id', ${id}, 'name', ${name}, 'kind', '${kind}')`)
    .join(', ')})`
