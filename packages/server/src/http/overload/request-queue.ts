import { AsyncResource } from 'node:async_hooks'
import { performance } from 'node:perf_hooks'

/** Time in each event-loop iteration for starting requests (docs/decisions/0011). */
const STARTING_MS = 0.5

/** Starts or rejects a request of this caller, now or in a later iteration of the event loop. */
export type StartInTurn = (caller: string, start: () => void) => void

/**
 * Limits how many requests start in one event-loop iteration, so that reading and sending do not wait for all requests that arrive
 * at once. Callers take turns: one caller's thousand requests delay another caller's first request by one.
 */
export function createRequestQueue(): StartInTurn {
  /** The caller whose turn is next comes first. */
  const waiting = new Map<string, (() => void)[]>()
  let startsUntil: number | undefined

  const next = (): (() => void) => {
    const [caller, queue] = waiting.entries().next().value!
    const start = queue.shift()!
    waiting.delete(caller)
    if (queue.length > 0) waiting.set(caller, queue)
    return start
  }

  const nextIteration = (): void => {
    startsUntil = undefined
    while (waiting.size > 0 && mayStart()) next()()
  }

  // One immediate per iteration, however many requests wait.
  const mayStart = (): boolean => {
    const now = performance.now()
    if (startsUntil === undefined) {
      startsUntil = now + STARTING_MS
      setImmediate(nextIteration)
    }
    return now < startsUntil
  }

  return (caller, start) => {
    if (waiting.size === 0 && mayStart()) return start()
    const scope = new AsyncResource('queued request')
    const queue = waiting.get(caller)
    const run = (): void => scope.runInAsyncScope(start)
    if (queue === undefined) waiting.set(caller, [run])
    else queue.push(run)
  }
}
