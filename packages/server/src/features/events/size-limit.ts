/** The approximate maximum size of the events per read, in bytes. A single event can be hundreds of KiB in size. */
const MAX_BYTES = 2 * 1024 * 1024

/**
 * The statement between `head` and `tail` must be ordered, with event IDs in the column `number`. The result ends at
 * the latest with the event that reaches `MAX_BYTES`. `hasNext` of the last event shows whether the statement selects
 * more events. PostgreSQL reads every selected row, so callers choose the row limit of the next read by the size or
 * number of the returned events.
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

export interface FittingRow {
  hasNext: boolean
  bytesBefore: unknown
}
