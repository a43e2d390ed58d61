import type { BulkItemStatus } from '../../graphql/schema-types.generated.ts'

interface BulkJobsSearch {
  after?: string
}

interface BulkJobSearch {
  /** Status of the devices to show. By default, the page shows all devices of the job. */
  status?: BulkItemStatus
  after?: string
}

export const itemStatuses = ['DONE', 'FAILED', 'SKIPPED', 'UNCHANGED', 'PENDING'] as const satisfies BulkItemStatus[]

export const bulkJobsSearch = ({ after }: Record<string, unknown>): BulkJobsSearch =>
  typeof after === 'string' && after !== '' ? { after } : {}

export function bulkJobSearch(search: Record<string, unknown>): BulkJobSearch {
  const status = itemStatuses.find((each) => each === search.status)
  return { ...bulkJobsSearch(search), ...(status === undefined ? {} : { status }) }
}
