import type { ResolvedFilter } from '@muster/filter'
import type { Database } from '../../../db/database.ts'
import { type BulkJob, pendingOf } from '../bulk-job.ts'
import type { JobPlace } from '../bulk-jobs.queries.ts'
import { type BatchToRead, batchSize, fittingBatch, type NextBatch, readNextBatch } from './next-batch.ts'

/** A job's next batch, which is valid while the job has finished exactly this number of devices. */
interface AheadBatch {
  finished: number
  next: NextBatch
}

/**
 * Reads the next batch of each job while PostgreSQL still runs the batch before. Each change of a device also changes
 * the number of devices that its job has finished, so this number shows whether the batch is still the next one.
 */
export interface LookAhead {
  /** Begins to read the batch that is next once the job has finished `finished` devices. */
  begin(place: { accountId: string; jobId: string }, next: BatchToRead & { finished: number }): void
  /** Returns the batch that was read for a job, and forgets it. */
  take(jobId: string): Promise<AheadBatch | undefined>
  /** Forgets the batches of other jobs. */
  keepOnly(jobIds: ReadonlySet<string>): void
}

export function createLookAhead(db: Database): LookAhead {
  const batches = new Map<string, Promise<AheadBatch | undefined>>()
  return {
    begin(place, { finished, ...toRead }) {
      const reading = readNextBatch(db, place, toRead)
      // After a failure, the batch reads its devices itself.
      batches.set(
        place.jobId,
        reading.then(
          (next) => ({ finished, next }),
          () => undefined,
        ),
      )
    },
    async take(jobId) {
      const batch = batches.get(jobId)
      batches.delete(jobId)
      return batch
    },
    keepOnly(jobIds) {
      for (const id of batches.keys()) if (!jobIds.has(id)) batches.delete(id)
    },
  }
}

interface NextOptions {
  job: BulkJob
  /** The batch that was read in advance, if any. */
  read: AheadBatch | undefined
  /** The only device of the batch, if any. */
  only: string | undefined
  inside: ResolvedFilter | undefined
  ahead: LookAhead | undefined
}

/** Returns the next batch of a locked job, and begins to read the one after it. */
export async function nextBatch(
  db: Database,
  { accountId, id: jobId }: JobPlace,
  { job, read, only, inside, ahead }: NextOptions,
): Promise<NextBatch> {
  const place = { accountId, jobId }
  const size = batchSize(job)
  const finished = job.done + job.failed + job.skipped
  const isNext = only === undefined && read?.finished === finished && read.next.items.length <= size.devices
  const next = isNext ? read.next : await readNextBatch(db, place, { size, ...(only !== undefined && { ids: [only] }) })
  const batch = await fittingBatch(db, accountId, { next, inside })
  const last = batch.items.at(-1)
  if (only === undefined && last !== undefined && pendingOf(job) > batch.items.length)
    ahead?.begin(place, { finished: finished + batch.items.length, size, after: last.id })
  return batch
}
