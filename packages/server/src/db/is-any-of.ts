import { type RawBuilder, sql } from 'kysely'

/**
 * Whether a column has one of these values. A single value is compared with `=`: PostgreSQL assumes ten values for an unknown
 * array, and would therefore plan the statement at each execution (docs/decisions/0010).
 */
export const isAnyOf = (column: RawBuilder<unknown>, values: readonly string[]): RawBuilder<unknown> =>
  values.length === 1 ? sql`${column} = ${values[0]}` : sql`${column} = any(${values})`
