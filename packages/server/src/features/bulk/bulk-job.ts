import type { ErrorCode } from '../../errors.ts'
import type { List } from '../../graphql/lists/paging.ts'
import type { Changes } from '../attributes/apply-changes.ts'
import type { NewDevice } from '../devices/changes/bulk-registration.queries.ts'
import type { EventSource, Target } from '../events/event-types.ts'
import type { ServiceFields, ServiceInput } from '../services/new-service.ts'

type EndedState = 'CANCELED' | 'DONE' | 'EXPIRED' | 'FAILED'
export type BulkState = 'DRAFT' | 'PAUSED' | 'PREVIEWING' | 'READY' | 'RUNNING' | EndedState
export type BulkOutcome = 'CHANGE' | 'REGISTER' | 'REJECTED' | 'UNCHANGED'
export type BulkItemStatus = 'DONE' | 'FAILED' | 'PENDING' | 'SKIPPED' | 'UNCHANGED'
export type BulkSkipReason = 'CHANGED_SINCE' | 'GONE' | 'NO_LONGER_MATCHES'

/** Service filters are in canonical form. */
export type BulkOperation =
  | { setAttributes: { attributes: Record<string, unknown>; context?: string | null; services?: string } }
  | { update: Partial<Record<'name' | 'hardwareId' | 'platform', string | null>> }
  | { addService: ServiceInput }
  | { removeService: { where: string } }
  | { delete: { force: boolean } }

/** The caller whose permissions a job uses. */
export interface Starter {
  email: string
  personId: string | null
  accessKey: string | null
}

/** The target omits the IDs of a list and the rows of a CSV, which the job's items contain. */
export type BulkTarget =
  | { where?: string; view?: string; context?: string }
  | {
      /** The number of IDs that createBulk or runBulk received. */
      ids: number
    }
  | { csv: CsvTarget }
  | { job: string; statuses: BulkItemStatus[]; csv?: CsvTarget }

export interface CsvTarget {
  columns: string[]
  lines: number
  /** Whether a row that matches no device registers a new device. */
  register: boolean
  secrets?: true
  /** Whether the job undoes the job that has this CSV. */
  isUndo?: true
}

/** Empty cells are null, empty lists, or omitted attributes. */
export interface CsvRow extends Omit<NewDevice, 'name'> {
  line: number
  id: string | null
  name: string | null
  isNew?: boolean
  error?: { code: ErrorCode; message: string }
}

export interface BulkJob {
  id: string
  name: string
  state: BulkState
  reason: string | null
  target: BulkTarget
  /** The filter that the preview applies, or null for a job that does not filter devices. */
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
  /** Whether the database still stores the key from which the secrets of the registered devices are derived. */
  hasSecrets: boolean
  total: number
  plannedCount: number
  changing: number
  registering: number
  unchanged: number
  rejected: number
  done: number
  /** The number of devices that failed in the run, not counting those that the preview rejected. */
  failed: number
  skipped: number
}

export interface AttributeChanges {
  context: string | null
  service?: { id: string; name: string }
  changes: Changes
}

export interface RemovedService extends ServiceFields {
  id: string
  attributes: Record<string, unknown>
  overrides: Record<string, Record<string, unknown>>
}

type FieldValue = string | number | boolean | null

export interface ServiceUpdate {
  id: string
  name: string
  changes: Record<string, { old: FieldValue; new: FieldValue }>
}

export interface DeviceChanges {
  setAttributes?: AttributeChanges[]
  update?: Record<string, { old: string | null; new: string | null }>
  addService?: (ServiceFields & { id: string })[]
  updateService?: ServiceUpdate[]
  removeService?: RemovedService[]
  delete?: { name: string }
  register?: NewDevice
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
  line?: number | null
}

export type BulkJobList = List<BulkJob>
export type BulkItemList = List<BulkItem>

export const noCounts = {
  plannedCount: 0,
  changing: 0,
  registering: 0,
  unchanged: 0,
  rejected: 0,
  done: 0,
  failed: 0,
  skipped: 0,
}

export const setsHardwareId = (operation: BulkOperation): boolean =>
  'update' in operation && 'hardwareId' in operation.update

export const jobTarget = ({ id, name }: Pick<BulkJob, 'id' | 'name'>): Target => ({ id, name, kind: 'bulkJob' })

/** Checks whether the job can be previewed, or previewed again. */
export const isDraft = ({ state }: BulkJob): boolean => ['DRAFT', 'READY', 'EXPIRED'].includes(state)

export const isEnded = ({ state }: BulkJob): boolean => ['DONE', 'CANCELED', 'FAILED', 'EXPIRED'].includes(state)

const DAY_MS = 86_400_000

/** A job whose preview began before the returned time can no longer be started. */
export const expiryOf = (now: Date): Date => new Date(now.getTime() - DAY_MS)

export const previewEnd = ({ previewed }: BulkJob): Date | null =>
  previewed === null ? null : new Date(previewed.getTime() + DAY_MS)

/** Returns the job, as EXPIRED if its preview is too old. A background job makes the same change in the database later. */
export function withExpiry(job: BulkJob, now: Date): BulkJob {
  const end = previewEnd(job)
  return job.state === 'READY' && end !== null && end < now
    ? { ...job, state: 'EXPIRED', finished: job.previewed }
    : job
}

export const countsOf = (job: BulkJob) => ({
  total: job.total,
  change: job.changing,
  unchanged: job.unchanged,
  rejected: job.rejected,
  register: job.registering,
  done: job.done,
  failed: job.failed + job.rejected,
  skipped: job.skipped + skippedByPreview(job),
  pending: pendingOf(job),
})

/** Counts the devices that the preview skipped: an undo cannot revert them, or they no longer match the filter. */
const skippedByPreview = (job: BulkJob): number => job.plannedCount - writing(job) - job.unchanged - job.rejected

/** Returns the number of devices that the run changes or registers, if none is skipped or fails. */
export const writing = ({ changing, registering }: BulkJob): number => changing + registering

export const pendingOf = (job: BulkJob): number => Math.max(0, writing(job) - job.done - job.failed - job.skipped)
