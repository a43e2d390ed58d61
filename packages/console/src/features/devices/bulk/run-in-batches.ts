/** The progress of a bulk change. */
export interface Progress {
  done: number
  failed: Failure[]
  total: number
}

export interface Failure {
  id: string
  reason: string
}

export interface BatchOptions {
  ids: readonly string[]
  /** Changes a batch of devices and returns the devices that failed. Throws an error to end the whole run. */
  change(ids: readonly string[]): Promise<Failure[]>
  /** Stops the run after the batch in progress. */
  signal: AbortSignal
  onProgress(progress: Progress): void
}

const BATCH_SIZE = 50

/** Changes many devices in small batches, so that the user sees the progress and can stop the run. */
export async function runInBatches({ ids, change, signal, onProgress }: BatchOptions): Promise<Progress> {
  let progress: Progress = { done: 0, failed: [], total: ids.length }
  for (let start = 0; start < ids.length && !signal.aborted; start += BATCH_SIZE) {
    const batch = ids.slice(start, start + BATCH_SIZE)
    const failed = await change(batch)
    progress = {
      ...progress,
      done: progress.done + batch.length - failed.length,
      failed: [...progress.failed, ...failed],
    }
    onProgress(progress)
  }
  return progress
}
