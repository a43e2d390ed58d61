import type { Api } from '../api.ts'
import type { DeviceFile } from '../csv/read-file.ts'
import { writePlan } from './job-or-requests.ts'
import { type Outcome, triedRows } from './outcome.ts'
import { prepareImport } from './prepare-import.ts'
import { finishEarlierJob } from './run-job.ts'

export interface ImportOptions {
  api: Api
  file: DeviceFile
  /** Whether to write nothing if the checks before the first write find an error in any row. */
  strict: boolean
  dryRun: boolean
  onProgress: (done: number) => void
  jobName: string
  /** Runs before the import waits for the job of an earlier import of the same file. */
  onWait?: () => void
  /** Aborting this signal stops the import. The import then cancels its job or, without a job, starts no more rows. */
  signal: AbortSignal
}

export async function importDevices(options: ImportOptions): Promise<Outcome> {
  const { api, file, strict, dryRun, onProgress, jobName, onWait, signal } = options
  const finishEarlier = async (): Promise<boolean> => !dryRun && finishEarlierJob(api, jobName, { signal, onWait })
  await finishEarlier()
  let plan = await prepareImport(api, file, { signal })
  // While this import read the devices, another import of the same file may have created a job.
  if (await finishEarlier()) plan = await prepareImport(api, file, { signal })
  const outcome: Outcome = {
    rows: file.rows.length + file.problems.length,
    created: 0,
    updated: 0,
    unchanged: 0,
    problems: plan.problems,
  }
  if (strict && plan.problems.length > 0) return outcome
  outcome.unchanged = plan.unchanged.length
  if (dryRun) return { ...outcome, created: plan.creations.length, updated: plan.updates.length }
  try {
    const progress = (): void => onProgress(triedRows(outcome))
    await writePlan({ api, outcome, progress, signal, jobName, strict }, plan)
  } catch (error) {
    outcome.stoppedBy = error as Error
  }
  if (strict && outcome.problems.length > 0 && outcome.created + outcome.updated === 0) outcome.unchanged = 0
  return outcome
}
