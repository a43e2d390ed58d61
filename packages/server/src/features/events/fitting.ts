/** Approximate number of bytes of events to read at a time. One event can have hundreds of KiB. */
const MOST_BYTES = 2 * 1024 * 1024

/**
 * Wraps a statement that selects events in an order, with their ids in the column `number`, and returns as many as fit. The event
 * that exceeds the limit is the last, so that there is always one. Its `hasNext` says whether the statement selects more.
 *
 * PostgreSQL reads everything that the statement selects to find what fits. So if there was more, the next request asks for twice
 * as many events as fit.
 */
export const fitting = (order: 'number' | 'number desc') => ({
  head: `select * from (
    select *, lead(true, 1, false) over log as "hasNext",
      sum(octet_length(targets::text) + octet_length(data::text)) over (log rows between unbounded preceding and 1 preceding)
        as "bytesBefore"
    from (`,
  tail: `) as found window log as (order by ${order})) as found
    where "bytesBefore" is null or "bytesBefore" < ${MOST_BYTES} order by ${order}`,
})

/** What it adds to each row, besides what it goes by. */
export interface FittingRow {
  hasNext: boolean
}
