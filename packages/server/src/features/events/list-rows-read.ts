import { noRowsRead, type RowsRead } from '../../graphql/cost/row-count.ts'
import type { PageArguments } from '../../graphql/lists/paging.ts'
import type { EventFilterArguments } from './event-filter.ts'

/** The rows that one list of events reads for its page, and for its `total` if requested. */
export interface EventListReads {
  page: RowsRead
  total: RowsRead
}

/** Events of an account are not counted. Cost estimates assume this number for lists that can read all of them. */
const ASSUMED_EVENTS = 100_000
/** Skipping fewer events is cheap. */
const FAR = 5_000

/**
 * The rows that `events` of a user with these arguments may read beyond those it returns. Events are read newest first, by the
 * primary key of the account or the index of a device. All other filters check one event after another.
 */
export function eventRowsRead({
  types,
  minDate,
  maxDate,
  deviceId,
  from,
  after,
  last,
}: PageArguments & EventFilterArguments): EventListReads {
  const reasons: string[] = []
  if (types != null) reasons.push('types: no index finds events by type')
  if (maxDate != null) reasons.push('maxDate: newer events are skipped one by one')
  if (minDate != null) reasons.push('minDate: no index finds events by time')
  if (after == null && last == null && from != null && from > FAR)
    reasons.push(`from skips ${from} events; after starts directly after an event`)
  return {
    page: reasons.length === 0 || deviceId != null ? noRowsRead : { rows: ASSUMED_EVENTS, reasons },
    total: { rows: ASSUMED_EVENTS, reasons: ['total counts every event that matches'] },
  }
}
