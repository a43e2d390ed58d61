import { sql } from 'kysely'
import type { Sql } from '../../filters/sql/filter-scope.ts'

/**
 * Returns an SQL expression for the uncompressed size, in bytes, of a JSON value. The expression reads the value only
 * if it is stored compressed, because its stored size is then smaller.
 */
export const jsonBytes = (value: Sql): Sql =>
  sql`case when pg_column_compression(${value}) is null then pg_column_size(${value}) else octet_length(${value}::text) end`
