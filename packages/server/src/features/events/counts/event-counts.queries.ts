import { sql } from 'kysely'
import type { Database } from '../../../db/database.ts'
import type { EventFilter } from '../event-filter.ts'
import { matchingEvents } from '../events.queries.ts'
import type { Intervals } from './intervals.ts'

/**
 * Returns the counts, keyed by interval index. Omits intervals without matching events. An event after the last
 * interval counts in the last interval.
 */
export async function countByInterval(
  db: Database,
  accountId: string,
  { filter, intervals: { start, step, size } }: { filter: EventFilter; intervals: Intervals },
): Promise<Map<number, number>> {
  const { rows } = await sql<{ place: number; count: number }>`
    select least(floor((extract(epoch from "timestamp") * 1000 - ${start}::float8) / ${step}::float8)::int, ${size}::int - 1) as place,
      count(*)::int as count
    from event where ${matchingEvents(accountId, filter)} group by place`.execute(db)
  return new Map(rows.map(({ place, count }) => [place, count]))
}
