import { type RawBuilder, sql } from 'kysely'

/**
 * Whether a column holds one of these. One alone has a statement of its own: PostgreSQL takes an array that it does not know for ten
 * values, and so would plan the statement for each anew (docs/decisions/0010).
 */
export const isAnyOf = (column: RawBuilder<unknown>, values: readonly string[]): RawBuilder<unknown> =>
  values.length === 1 ? sql`${column} = ${values[0]}` : sql`${column} = any(${values})`
