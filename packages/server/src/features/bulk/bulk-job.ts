import type { List } from '../../graphql/lists/paging.ts'
import type { Changes } from '../attributes/apply-changes.ts'
import type { EventSource, Target } from '../events/event-types.ts'

export const bulkStates = [
  ...(['DRAFT', 'PREVIEWING', 'READY', 'RUNNING', 'PAUSED'] as const),
  ...(['DONE', 'CANCELED', 'EXPIRED', 'FAILED'] as const),
]
export type BulkState = (typeof bulkStates)[number]

export type BulkOutcome = 'CHANGE' | 'REJECTED' | 'UNCHANGED'
export type BulkItemStatus = 'DONE' | 'FAILED' | 'PENDING' | 'SKIPPED' | 'UNCHANGED'
export type BulkSkipReason = 'CHANGED_SINCE' | 'GONE' | 'NO_LONGER_MATCHES'

/** One operation on each device, as given. */
export type BulkOperation =
  | { setAttributes: { attributes: Record<string, unknown>; context?: string | null } }
  | { update: Partial<Record<'name' | 'hardwareId' | 'platform', string | null>> }
  | { delete: { force: boolean } }

/** The caller whose permissions a job uses. */
export interface Starter {
  email: string
  personId: string | null
  accessKey: string | null
}

/** The devices of a job, as given. The devices of a list are the job's items. */
export type BulkTarget =
  | { where?: string; view?: string; context?: string }
  | { ids: number }
  | { job: string; statuses: BulkItemStatus[] }

export interface BulkJob {
  id: string
  name: string
  state: BulkState
  reason: string | null
  target: BulkTarget
  /** The filter of the preview; null for a list of devices. */
  filter: string | null
  context: string | null
  operations: BulkOperation[]
  rate: number
  maxFailures: number | null
  expected: number | null
  token: string | null
  created: Date
  createdBy: EventSource
  actorId: string | null
  previewed: Date | null
  started: Date | null
  startedBy: EventSource | null
  starter: Starter | null
  finished: Date | null
  undoOf: string | null
  total: number
  plannedCount: number
  changing: number
  unchanged: number
  rejected: number
  done: number
  /** Failures of the run, without the devices that the preview rejected. */
  failed: number
  skipped: number
}

/** The changes of one device, by operation: the old and the new value of each name or field. */
export interface DeviceChanges {
  setAttributes?: { context: string | null; changes: Changes }[]
  update?: Record<string, { old: string | null; new: string | null }>
  delete?: { name: string }
}

export interface BulkItem {
  id: string
  name: string
  outcome: BulkOutcome
  status: BulkItemStatus
  reason: BulkSkipReason | null
  changes: DeviceChanges
  code: string | null
  message: string | null
  eventIds: string[]
}

export type BulkJobList = List<BulkJob>
export type BulkItemList = List<BulkItem>

export const jobTarget = ({ id, name }: Pick<BulkJob, 'id' | 'name'>): Target => ({ id, name, kind: 'bulkJob' })

/** States in which the devices can still be previewed. */
export const isDraft = ({ state }: BulkJob): boolean => ['DRAFT', 'READY', 'EXPIRED'].includes(state)

export const isEnded = ({ state }: BulkJob): boolean => ['DONE', 'CANCELED', 'FAILED', 'EXPIRED'].includes(state)

const DAY_MS = 86_400_000

/** Previews before this time can no longer be started. */
export const expiryOf = (now: Date): Date => new Date(now.getTime() - DAY_MS)

/** The time after which a preview can no longer be started. */
export const previewEnd = ({ previewed }: BulkJob): Date | null =>
  previewed === null ? null : new Date(previewed.getTime() + DAY_MS)

/** Returns the job as EXPIRED if its preview is too old. A background job updates the database later. */
export function withExpiry(job: BulkJob, now: Date): BulkJob {
  const end = previewEnd(job)
  return job.state === 'READY' && end !== null && end < now ? { ...job, state: 'EXPIRED' } : job
}

export const countsOf = (job: BulkJob) => ({
  total: job.total,
  change: job.changing,
  unchanged: job.unchanged,
  rejected: job.rejected,
  register: 0,
  done: job.done,
  failed: job.failed + job.rejected,
  skipped: job.skipped + skippedByPreview(job),
  pending: pendingOf(job),
})

/** Devices that the preview skipped: an undo does not change them, or they no longer match the filter. */
const skippedByPreview = ({ plannedCount, changing, unchanged, rejected }: BulkJob): number =>
  plannedCount - changing - unchanged - rejected

export const pendingOf = (job: BulkJob): number => Math.max(0, job.changing - job.done - job.failed - job.skipped)

/** The number of failures since the last start above which the job pauses. */
export const failureLimit = (job: BulkJob): number =>
  job.maxFailures ?? Math.max(100, Math.floor((job.done + job.failed + job.skipped) / 10))

/** The permissions that the operations of a job need. */
export function permissionsNeeded(
  operations: readonly object[],
): ('ATTRIBUTE_WRITE' | 'DEVICE_WRITE' | 'DEVICE_DELETE')[] {
  const needs = operations.flatMap((operation) => {
    if ('setAttributes' in operation) return ['ATTRIBUTE_WRITE' as const]
    return 'update' in operation ? ['DEVICE_WRITE' as const] : ['DEVICE_DELETE' as const]
  })
  return [...new Set(needs)]
}
