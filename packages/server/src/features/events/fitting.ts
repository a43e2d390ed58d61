/** Approximate number of bytes of events to read at a time. One event can be hundreds of KiB large. */
const MAX_BYTES = 2 * 1024 * 1024

/**
 * Wraps a statement that selects events in an order, with their ids in the column `number`, and returns as many as fit. The
 * event that exceeds the limit is the last, so that there is always one. Its `hasNext` shows whether the statement selects
 * more.
 *
 * PostgreSQL reads all rows that the statement selects to find those that fit. If there were more, the next request therefore
 * selects only twice as many events as fit.
 */
export const fitting = (order: 'number' | 'number desc') => ({
  head: `select * from (
    select *, lead(true, 1, false) over log as "hasNext",
      sum(octet_length(targets::text) + octet_length(data::text)) over (log rows between unbounded preceding and 1 preceding)
        as "bytesBefore"
    from (`,
  tail: `) as found window log as (order by ${order})) as found
    where "bytesBefore" is null or "bytesBefore" < ${MAX_BYTES} order by ${order}`,
})

/** The column that `fitting` adds for callers. */
export interface FittingRow {
  hasNext: boolean
}
