import { readStoredFilter } from '../../views/use-view.ts'
import type { JobFilter } from '../bulk-items.queries.ts'
import type { BulkJob } from '../bulk-job.ts'

/** Returns the filter of a job's preview. Returns undefined if the caller listed devices. */
export function filterOf({ filter, context, previewed, id }: BulkJob): JobFilter | undefined {
  if (filter === null || previewed === null) return undefined
  const where = readStoredFilter(filter, {
    place: { kind: 'device', path: 'where' },
    name: `the filter of the job ${id}`,
  })
  return where === undefined ? undefined : { where, context: context ?? undefined, now: previewed }
}
