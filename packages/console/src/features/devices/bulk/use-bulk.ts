import { useEffect, useRef, useState } from 'react'
import { type BatchOptions, type Progress, runInBatches } from './run-in-batches.ts'

export type BulkState =
  | { step: 'ready' }
  | { step: 'running'; progress: Progress }
  /** `isStopped` is true if the user stopped the run before its end. */
  | { step: 'ended'; progress: Progress; isStopped: boolean; error?: unknown }

interface Bulk {
  state: BulkState
  run(options: Pick<BatchOptions, 'ids' | 'change'>): Promise<void>
  stop(): void
  reset(): void
}

/** Runs a bulk change. The run stops if the user stops it or leaves the page. */
export function useBulk(): Bulk {
  const [state, setState] = useState<BulkState>({ step: 'ready' })
  const abortController = useRef<AbortController | null>(null)
  useEffect(() => () => abortController.current?.abort(), [])
  return {
    state,
    async run({ ids, change }) {
      const controller = new AbortController()
      abortController.current = controller
      let progress: Progress = { done: 0, failed: [], total: ids.length }
      const onProgress = (next: Progress): void => {
        progress = next
        setState({ step: 'running', progress })
      }
      onProgress(progress)
      try {
        await runInBatches({ ids, change, signal: controller.signal, onProgress })
        const isStopped = progress.done + progress.failed.length < ids.length
        setState({ step: 'ended', progress, isStopped })
      } catch (error) {
        setState({ step: 'ended', progress, isStopped: false, error })
      }
    },
    stop: () => abortController.current?.abort(),
    reset: () => setState({ step: 'ready' }),
  }
}
