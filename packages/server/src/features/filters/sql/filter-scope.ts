import { type RawBuilder, sql } from 'kysely'

export type Sql = RawBuilder<unknown>

/**
 * The tables that a filter's conditions read, with the aliases of the surrounding statement. For devices, these are
 * `device d`, `device_live l`, and the overrides `o` of the request's context. For services, they are `service s`,
 * `service_live live`, and the overrides `so`.
 */
export interface FilterTables {
  device: boolean
  live: boolean
  overrides: boolean
  serviceLive: boolean
  serviceOverrides: boolean
}

export const noTables = (): FilterTables => ({
  device: false,
  live: false,
  overrides: false,
  serviceLive: false,
  serviceOverrides: false,
})

export interface FilterScope {
  readonly accountId: string
  /** The context whose overrides apply. Undefined if only the base values apply. */
  readonly context: string | undefined
  /** The reference time for relative times: milliseconds since 1970, or a column of the statement. */
  readonly now: number | Sql
  /** Each condition adds the tables that it reads. */
  readonly tables: FilterTables
}

/** Returns SQL for a column that the tables `device` and `service` both have. */
export function columnIn(
  { tables }: FilterScope,
  of: 'device' | 'service',
  column: 'id' | 'created' | 'attributes' | 'attribute_times',
): Sql {
  if (of === 'service') return sql.raw(`s.${column}`)
  tables.device = true
  return sql.raw(`d.${column}`)
}

export const either = (conditions: readonly Sql[]): Sql =>
  conditions.length === 1 ? conditions[0]! : sql`(${sql.join([...conditions], sql` or `)})`

export const both = (conditions: readonly Sql[]): Sql =>
  conditions.length === 0
    ? sql`true`
    : conditions.length === 1
      ? conditions[0]!
      : sql`(${sql.join([...conditions], sql` and `)})`
