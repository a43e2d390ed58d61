import { noRowsRead, type RowsRead } from '../../graphql/cost/scanned-row-estimate.ts'
import type { PageArguments } from '../../graphql/lists/paging.ts'
import type { EventFilterArguments } from './event-filter.ts'

export interface EventListReads {
  page: RowsRead
  total: RowsRead
}

interface Conditions {
  where?: string | null | undefined
  view?: string | null | undefined
}

/** The cost estimate assumes that the server reads at most this many events for a field. */
export const ASSUMED_EVENTS = 100_000
/** The highest `from` that does not add to the rate-limit cost. */
const FAR = 5_000

/**
 * PostgreSQL reads the events of a page newest first, by the primary key for an account or by an index for a device. It
 * applies most other filters to one event at a time.
 */
export function eventRowsRead({
  where,
  view,
  types,
  minDate,
  maxDate,
  deviceId,
  from,
  after,
  last,
}: PageArguments & EventFilterArguments & Conditions): EventListReads {
  const reasons: string[] = []
  const isFiltered = (where != null && where.trim() !== '') || view != null
  if (where != null && where.trim() !== '') reasons.push('where: no index finds events by its conditions')
  if (view != null) reasons.push('view: no index finds events by its conditions')
  if (types != null) reasons.push('types: no index finds events by type')
  if (maxDate != null) reasons.push('maxDate: newer events of the same month are skipped one by one')
  if (minDate != null) reasons.push('minDate: older events of the same month are skipped one by one')
  if (after == null && last == null && from != null && from > FAR)
    reasons.push('from: newer events are skipped one by one; use the argument after to start directly after an event')
  // An index finds a device's events. Their number is unknown, so the server still uses `walk` (`db/fair/`) for a query
  // with `where` or `view`.
  const ofDevice = { rows: 0, reasons: isFiltered ? reasons : [] }
  const ofUser = reasons.length === 0 ? noRowsRead : { rows: ASSUMED_EVENTS, reasons }
  return {
    page: deviceId == null ? ofUser : ofDevice,
    total: { rows: ASSUMED_EVENTS, reasons: ['total counts every event that matches the filter'] },
  }
}
