import type { BulkItemStatus } from '../../graphql/schema-types.generated.ts'

export interface BulkJobsSearch {
  after?: string
}

export interface BulkJobSearch {
  /** Shows only devices with this status. Default: all devices. */
  status?: BulkItemStatus
  after?: string
}

export const itemStatuses = ['DONE', 'FAILED', 'SKIPPED', 'UNCHANGED', 'PENDING'] as const satisfies BulkItemStatus[]

/** Parses search parameters. Ignores invalid values. */
export const bulkJobsSearch = ({ after }: Record<string, unknown>): BulkJobsSearch =>
  typeof after === 'string' && after !== '' ? { after } : {}

/** Parses search parameters. Ignores invalid values. */
export function bulkJobSearch(search: Record<string, unknown>): BulkJobSearch {
  const status = itemStatuses.find((each) => each === search.status)
  return { ...bulkJobsSearch(search), ...(status === undefined ? {} : { status }) }
}
