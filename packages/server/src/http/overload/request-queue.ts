import { AsyncResource } from 'node:async_hooks'
import { performance } from 'node:perf_hooks'

const STARTING_MS = 0.5

/** Calls `start` now or in a later event-loop iteration. `start` starts or rejects a request of `caller`. */
export type Enqueue = (caller: string, start: () => void) => void

/**
 * Limits the time for starting requests in each event-loop iteration. Otherwise, a burst would delay the reading of
 * requests and the sending of responses. Callers take turns.
 */
export function createRequestQueue(): Enqueue {
  /** Contains queued requests by caller, in round-robin order. */
  const queues = new Map<string, (() => void)[]>()
  let startDeadline: number | undefined

  const next = (): (() => void) => {
    const [caller, queue] = queues.entries().next().value!
    const start = queue.shift()!
    // A single caller keeps its place, because moving it would leave deleted entries in the Map, which skips them one
    // by one.
    if (queues.size === 1 && queue.length > 0) return start
    queues.delete(caller)
    if (queue.length > 0) queues.set(caller, queue)
    return start
  }

  const startQueued = (): void => {
    startDeadline = undefined
    while (queues.size > 0 && hasTime()) next()()
  }

  // One call of `setImmediate` per iteration is enough, regardless of the number of queued requests.
  const hasTime = (): boolean => {
    const now = performance.now()
    if (startDeadline === undefined) {
      startDeadline = now + STARTING_MS
      setImmediate(startQueued)
    }
    return now < startDeadline
  }

  return (caller, start) => {
    if (queues.size === 0 && hasTime()) return start()
    const scope = new AsyncResource('queued request')
    const queue = queues.get(caller)
    const run = (): void => scope.runInAsyncScope(start)
    if (queue === undefined) queues.set(caller, [run])
    else queue.push(run)
  }
}
