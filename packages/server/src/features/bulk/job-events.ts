import type { Database } from '../../db/database.ts'
import type { Viewer } from '../../viewer.ts'
import { recordEvents } from '../events/record.ts'
import { type BulkJob, countsOf, jobTarget } from './bulk-job.ts'

export async function recordStart(db: Database, viewer: Viewer, job: BulkJob): Promise<void> {
  const where = 'where' in job.target ? { where: job.target.where } : {}
  const start = { name: job.name, operations: job.operations, ...where, counts: countsOf(job) }
  const undo = { job: job.undoOf, counts: countsOf(job) }
  await recordEvents(db, { viewer }, [
    { type: 'BULK_START', targets: [jobTarget(job)], data: start },
    ...(job.undoOf === null ? [] : [{ type: 'BULK_UNDO' as const, targets: [jobTarget(job)], data: undo }]),
  ])
}

export async function recordFinish(
  db: Database,
  viewer: Viewer,
  { job, now }: { job: BulkJob; now: Date },
): Promise<void> {
  const seconds = job.started === null ? 0 : Math.round((now.getTime() - job.started.getTime()) / 1000)
  const data = { state: job.state, counts: countsOf(job), seconds }
  await recordEvents(db, { viewer }, [{ type: 'BULK_FINISH', targets: [jobTarget(job)], data }])
}
