/** How far a change of many devices has come. */
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
  /** Changes these and says which failed; throws when nothing more can be done. */
  change(ids: readonly string[]): Promise<Failure[]>
  /** Stops between two batches: what was begun is finished and counted. */
  signal: AbortSignal
  onProgress(progress: Progress): void
}

const BATCH = 50

/** Changes many devices a few at a time, so that it can be stopped and always knows how many are done. */
export async function runInBatches({ ids, change, signal, onProgress }: BatchOptions): Promise<Progress> {
  let progress: Progress = { done: 0, failed: [], total: ids.length }
  for (let start = 0; start < ids.length && !signal.aborted; start += BATCH) {
    const batch = ids.slice(start, start + BATCH)
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
