import { toJobRows } from './job-rows.ts'
import type { ImportPlan } from './prepare-import.ts'
import { type JobContext, writeInJob } from './run-job.ts'
import { writeRequests } from './write-requests.ts'

/**
 * Writes a plan with a bulk job where possible. Records rejected rows in the outcome's problems. Throws errors that
 * would affect every row.
 */
export async function writePlan(context: JobContext, { creations, updates, types }: ImportPlan): Promise<void> {
  // If a row has no ID, a job finds the row's device by hardware ID or name. A job therefore cannot register several
  // devices with the same name and without hardware IDs.
  const ofJob = { creations: creations.filter(({ findable }) => findable), updates }
  const rows = toJobRows(ofJob, types)
  const { parts } = rows
  const result = parts.length === 0 ? 'written' : await writeInJob(context, rows)
  if (result === 'rejected') return
  // The server rejects the whole job if the caller lacks a permission for one change. Single requests can need fewer
  // permissions: unlike a job with the column `platform`, `registerDevice` does not need DEVICE_WRITE.
  if (result === 'forbidden') await writeRequests(context, ofJob)
  await writeRequests(context, { creations: creations.filter(({ findable }) => !findable), updates: [] })
}
