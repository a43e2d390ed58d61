import type { BulkItemStatus } from '../../graphql/schema-types.generated.ts'

/** The list's state, as the URL contains it. */
export interface BulkJobsSearch {
  after?: string
}

/** The state of a job's page, as the URL contains it. */
export interface BulkJobSearch {
  /** Status of the devices to show. Default: all devices. */
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
