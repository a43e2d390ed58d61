import type { Context } from '../../../context.ts'
import { walk } from '../../../db/fair/user-database.ts'
import { badInput } from '../../../errors.ts'
import type { EventCount, UserEventCountsArgs } from '../../../resolvers.generated.ts'
import { monthBefore, readEventFilter } from '../event-filter.ts'
import { ASSUMED_EVENTS } from '../event-row-cost.ts'
import { readEventWhere } from '../events.ts'
import { permittedEvents } from '../readable-events.ts'
import { countByInterval } from './event-counts.queries.ts'
import { divide } from './intervals.ts'

export const MAX_INTERVALS = 200
export const DEFAULT_INTERVALS = 60

/** One statement counts all intervals, so the counts are consistent with each other. */
export async function countEventsByInterval(context: Context, args: UserEventCountsArgs): Promise<EventCount[]> {
  const { db, viewer, rowMeter } = context
  const size = args.intervals ?? DEFAULT_INTERVALS
  if (size < 1 || size > MAX_INTERVALS) throw badInput(`intervals must be from 1 to ${MAX_INTERVALS}, not ${size}`)
  const now = context.clock()
  const given = { ...readEventFilter(args, { now, defaultsToMonth: true }), ...permittedEvents(viewer) }
  const where = await readEventWhere(context, args)
  const filter = where === undefined ? given : { ...given, where }
  // `until` is exclusive, so add one millisecond to include the events of the current millisecond.
  const until = given.until ?? new Date(now.getTime() + 1)
  const from = given.from ?? monthBefore(until)
  const intervals = divide({ from, until }, size)
  if (intervals.size === 0) return []
  rowMeter.add(({ events }) => Math.min(ASSUMED_EVENTS, events))
  const reasons = ['eventCounts counts every event that matches the filter']
  const counts = await walk(db, reasons, (walking) => countByInterval(walking, viewer.accountId, { filter, intervals }))
  const { start, step } = intervals
  return Array.from({ length: intervals.size }, (_, index) => ({
    from: new Date(Math.max(start + index * step, from.getTime())),
    until: new Date(Math.min(start + (index + 1) * step, given.until?.getTime() ?? Number.POSITIVE_INFINITY)),
    count: counts.get(index) ?? 0,
  }))
}
