import { AsyncResource } from 'node:async_hooks'
import { performance } from 'node:perf_hooks'

/** Of a round of the event loop, from the first that is begun in it: long enough for a few, short enough to wait for (docs/decisions/0011). */
const BEGINNING_MS = 0.5

/**
 * Has what is to be begun wait for its turn, in later rounds of the event loop, where a round has begun enough. However many come
 * at once, what is read and answered between rounds does not wait for all of them.
 */
export function createTurns(): (begin: () => void) => void {
  const waiting: (() => void)[] = []
  let beginsUntil: number | undefined

  const nextRound = (): void => {
    beginsUntil = undefined
    while (waiting.length > 0 && mayBegin()) waiting.shift()!()
  }

  // One immediate a round, however many wait.
  const mayBegin = (): boolean => {
    const now = performance.now()
    if (beginsUntil === undefined) {
      beginsUntil = now + BEGINNING_MS
      setImmediate(nextRound)
    }
    return now < beginsUntil
  }

  return (begin) => {
    if (waiting.length === 0 && mayBegin()) return begin()
    const scope = new AsyncResource('turn')
    waiting.push(() => scope.runInAsyncScope(begin))
  }
}
