import { type RawBuilder, sql } from 'kysely'
import type { Direction } from '../lib/sort.ts'

/**
 * Orders rows by a key. Rows without a key come last in both directions. Only a nullable key needs `nulls last`: other
 * keys omit it, because a backward index scan cannot return that order.
 */
export const missingLast = (key: RawBuilder<unknown>, direction: Direction, isNullable = true): RawBuilder<unknown> =>
  sql`${key} ${sql.raw(isNullable ? `${direction} nulls last` : direction)}`
