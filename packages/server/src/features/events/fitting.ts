/** Bytes of events that are read at a time, about: one may have hundreds of KiB. */
const MOST_BYTES = 2 * 1024 * 1024

/**
 * Stands around a statement that selects events in an order, their ids as numbers being called `number`: of those as many as fit. The
 * one that passes the bound is the last, so that there is always one. Its `hasNext` says whether the statement selects more.
 *
 * PostgreSQL reads all that the statement selects to know what fits. So where there was more, twice as many as did are asked for next.
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
