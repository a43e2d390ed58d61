import type { NewEvent } from '../../events/record.ts'
import { type BulkJob, countsOf, jobTarget } from '../bulk-job.ts'

export function startEvents(job: BulkJob): NewEvent[] {
  // The job's filter includes the filter of its view, because the view may change or be deleted later.
  const where = job.filter === null ? {} : { where: job.filter }
  const event = { targets: [jobTarget(job)], ...(job.startedBy !== null && { source: job.startedBy }) }
  const start = { name: job.name, operations: job.operations, ...where, counts: countsOf(job) }
  const undo = { job: job.undoOf, counts: countsOf(job) }
  return [
    { type: 'BULK_START', ...event, data: start },
    ...(job.undoOf === null ? [] : [{ type: 'BULK_UNDO' as const, ...event, data: undo }]),
  ]
}

export function finishEvent(job: BulkJob, now: Date): NewEvent {
  const seconds = job.started === null ? 0 : Math.round((now.getTime() - job.started.getTime()) / 1000)
  const data = { state: job.state, counts: countsOf(job), seconds }
  return { type: 'BULK_FINISH', targets: [jobTarget(job)], data }
}
