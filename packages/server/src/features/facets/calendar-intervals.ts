import { sql } from 'kysely'
import type { Sql } from '../filters/sql/filter-scope.ts'

/** An interval in UTC. Weeks start on Monday. */
export type Interval = 'hour' | 'day' | 'week' | 'month'

/** Returns SQL for the start of the interval that contains `time`. The start is a string in ISO 8601 format. */
export const startOfInterval = (time: Sql, interval: Interval): Sql =>
  sql`to_char(date_trunc(${sql.lit(interval)}, ${time} at time zone 'UTC'), 'YYYY-MM-DD"T"HH24:MI:SS"Z"')`

/** Returns the end of the interval that begins at `start`. Both are strings in ISO 8601 format. */
export function endOfInterval(start: string, interval: Interval): string {
  const end = new Date(start)
  if (interval === 'hour') end.setUTCHours(end.getUTCHours() + 1)
  else if (interval === 'month') end.setUTCMonth(end.getUTCMonth() + 1)
  else end.setUTCDate(end.getUTCDate() + (interval === 'week' ? 7 : 1))
  return end.toISOString().replace('.000', '')
}
