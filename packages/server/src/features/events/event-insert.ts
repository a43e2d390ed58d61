import type { Target } from './event-types.ts'

/** All values except `from` are SQL expressions over the rows that `from` selects. */
export interface EventRows {
  /** The source of the rows: a CTE, a table, or a function, with its alias, joins, and conditions. */
  from: string
  /** An ID that was assigned in advance. By default, the statement assigns an ID. */
  id?: string
  accountId: string
  type: string
  deviceId?: string
  /** Omitted or null for state events, failed sign-ins, and changes by a device or the server. */
  actorId?: string
  source: string
  targets: string
  state?: string
  data?: string
  /** Values that the change replaced and that `data` does not contain. */
  previous?: string
  /** The change's time. By default, the time at which the statement inserts the event. */
  timestamp?: string
}

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

/** Columns that a statement can omit. A statement contains those for which its first `EventRows` has a value. */
const defaults = { id: 'id', timestamp: '"timestamp"' } as const

const defaultsIn = (rows: object): (keyof typeof defaults)[] =>
  (Object.keys(defaults) as (keyof typeof defaults)[]).filter((name) => name in rows)

const namesIn = (rows: object): string =>
  [...defaultsIn(rows).map((name) => defaults[name]), ...Object.keys(columns)].join(', ')

const valuesIn = (rows: EventRows): string =>
  [...defaultsIn(rows).map((name) => rows[name]), ...Object.values(columns).map((of) => of(rows))].join(', ')

const select = (rows: EventRows): string => `select ${valuesIn(rows)}
    from ${rows.from}`

/**
 * Except for tests and benchmarks, only this file inserts events. The statements of frequent changes include this
 * insert, because a separate statement would need a transaction, which is slower (docs/decisions/0018).
 */
export const eventInsert = (...rows: readonly EventRows[]): string =>
  `insert into event (${namesIn(rows[0] ?? {})})
    ${rows.map(select).join(' union all ')}`

/**
 * Returns the statement that inserts one event. A cluster sends this statement to the account's shard unchanged, but
 * splits a statement of `eventInsert` into steps.
 */
export const oneEventInsert = (row: Omit<EventRows, 'from'>): string =>
  `insert into event (${namesIn(row)})
    values (${valuesIn({ ...row, from: '' })})`

/** Each target's ID and name are SQL expressions. */
export const eventTargets = (...targets: readonly Target[]): string =>
  `jsonb_build_array(${targets
    .map(({ id, name, kind }) => `jsonb_build_object('id', ${id}, 'name', ${name}, 'kind', '${kind}')`)
    .join(', ')})`
