import type { Api } from '../api.ts'
import type { DeviceFile } from '../csv/read-file.ts'
import { type Outcome, triedRows } from './outcome.ts'
import { planImport } from './plan-import.ts'
import { writePlan } from './write.ts'

export interface ImportOptions {
  api: Api
  file: DeviceFile
  /** Every row is checked before the first is written, and one that is wrong stops all. */
  strict: boolean
  /** Everything but the writing. */
  dryRun: boolean
  /** Told how many rows are done. */
  onProgress: (done: number) => void
  /** Stops after the documents that are under way. */
  signal: AbortSignal
}

/** Brings the account's devices to what the file says and tells how that went. */
export async function importDevices({
  api,
  file,
  strict,
  dryRun,
  onProgress,
  signal,
}: ImportOptions): Promise<Outcome> {
  const plan = await planImport(api, file, { signal })
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
    await writePlan({ api, outcome, progress: () => onProgress(triedRows(outcome)), signal }, plan)
  } catch (error) {
    outcome.stoppedBy = error as Error
  }
  return outcome
}
