import type { ResolvedFilter } from '@muster/filter'
import type { Database } from '../../../db/database.ts'
import type { Load } from '../../../http/average-load.ts'
import { type BulkJob, pendingOf } from '../bulk-job.ts'
import type { JobPlace } from '../bulk-jobs.queries.ts'
import {
  type BatchToRead,
  batchSize,
  fittingBatch,
  isUnlimited,
  type NextBatch,
  readNextBatch,
  withTakenHardwareIds,
} from './next-batch.ts'

/** The maximum size, in bytes, of the changes in all batches that are read in advance. */
const MAX_BYTES = 32 * 1024 * 1024

/** A job's next batch, which is used only if the job has finished exactly `finished` devices. */
interface AheadBatch {
  finished: number
  next: NextBatch
}

/**
 * Reads a job's next batch while PostgreSQL still runs the previous batch, unless the job's rate is limited. If another
 * process has worked on the job since, the number of finished devices is usually different, and the batch is not used.
 * That number does not identify the devices. Therefore, a batch also fails if one of its devices is no longer pending
 * (`writeResults`). For the same reason, an empty batch that was read in advance is never used. If a batch fails, its
 * process forgets the job's next batch.
 */
export interface LookAhead {
  /**
   * Begins to read the job's next batch. Does nothing if the batches in memory are too large or many requests are in
   * flight.
   */
  begin(place: { accountId: string; jobId: string }, next: BatchToRead & { finished: number }): void
  /** Returns the batch that was read for a job, if any, and forgets it. */
  take(jobId: string): Promise<AheadBatch | undefined>
  forget(jobId: string): void
  keepOnly(jobIds: ReadonlySet<string>): void
}

interface Entry {
  /** The size, in bytes, of the batch's changes, or the size limit until the batch has been read. */
  bytes: number
  batch: Promise<AheadBatch | undefined>
}

export function createLookAhead(db: Database, load: Load): LookAhead {
  const entries = new Map<string, Entry>()
  return {
    begin(place, { finished, ...toRead }) {
      const held = entries.values().reduce((sum, { bytes }) => sum + bytes, 0)
      if (load.isHigh() || held + toRead.size.bytes > MAX_BYTES) return
      const entry: Entry = {
        bytes: toRead.size.bytes,
        batch: readNextBatch(db, place, toRead).then(
          (next) => {
            entry.bytes = next.bytes
            return { finished, next }
          },
          // If reading in advance fails, the batch reads its devices when it runs.
          () => undefined,
        ),
      }
      entries.set(place.jobId, entry)
    },
    async take(jobId) {
      const entry = entries.get(jobId)
      entries.delete(jobId)
      return entry?.batch
    },
    forget(jobId) {
      entries.delete(jobId)
    },
    keepOnly(jobIds) {
      for (const id of entries.keys()) if (!jobIds.has(id)) entries.delete(id)
    },
  }
}

interface NextOptions {
  job: BulkJob
  read: AheadBatch | undefined
  /** The ID of the only device that the batch may contain, if any. */
  only: string | undefined
  inside: ResolvedFilter | undefined
  ahead: LookAhead | undefined
}

export async function nextBatch(
  db: Database,
  { accountId, id: jobId }: JobPlace,
  { job, read, only, inside, ahead }: NextOptions,
): Promise<NextBatch> {
  const place = { accountId, jobId }
  const size = batchSize(job)
  const finished = job.done + job.failed + job.skipped
  const isNext =
    only === undefined &&
    read?.finished === finished &&
    read.next.items.length > 0 &&
    read.next.items.length <= size.devices
  const next = isNext
    ? await withTakenHardwareIds(db, accountId, read.next)
    : await readNextBatch(db, place, { size, ...(only !== undefined && { ids: [only] }) })
  const batch = await fittingBatch(db, accountId, { next, inside })
  const last = batch.items.at(-1)
  if (only === undefined && isUnlimited(job) && last !== undefined && pendingOf(job) > batch.items.length)
    ahead?.begin(place, { finished: finished + batch.items.length, size, after: last.id })
  return batch
}
