import type { BulkItemStatus } from '../../graphql/schema-types.generated.ts'
import { stringOf, validSearch } from '../../hooks/valid-search.ts'

interface BulkJobsSearch {
  after?: string
}

interface BulkJobSearch {
  /** Status of the devices to show. By default, the page shows all devices of the job. */
  status?: BulkItemStatus
  after?: string
}

export const itemStatuses = ['DONE', 'FAILED', 'SKIPPED', 'UNCHANGED', 'PENDING'] as const satisfies BulkItemStatus[]

export const bulkJobsSearch = validSearch<BulkJobsSearch>(({ after }) => ({ after: stringOf(after) }))

export const bulkJobSearch = validSearch<BulkJobSearch>(({ status, after }) => ({
  status: itemStatuses.find((each) => each === status),
  after: stringOf(after),
}))
