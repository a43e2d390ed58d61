import { insideOf } from '../../../restriction.ts'
import type { Viewer } from '../../../viewer.ts'
import { readableFilter } from '../../attributes/attribute-access.ts'
import { readStoredFilter } from '../../views/apply-view.ts'
import type { JobFilter } from '../bulk-items.queries.ts'
import type { BulkJob } from '../bulk-job.ts'

/**
 * Returns undefined if the job has no filter or has not been previewed. Throws FORBIDDEN if the filter uses a name that
 * the caller cannot read.
 */
export function filterOf(
  { filter, context, previewed, id }: BulkJob,
  caller: Pick<Viewer, 'restriction' | 'reach'>,
): JobFilter | undefined {
  if (filter === null || previewed === null) return undefined
  const where = readStoredFilter(filter, {
    place: { kind: 'device', path: 'where' },
    name: `the filter of the job ${id}`,
  })
  if (where === undefined) return undefined
  const readable = { ...where, filter: readableFilter(caller, where.filter) }
  return { where: readable, context: context ?? undefined, now: previewed, inside: insideOf(caller) }
}
