import { setTimeout as sleep } from 'node:timers/promises'

/** Pauses between two reads. `cut()` shortens the current pause, or the next pause if none has begun. */
export interface Pacer {
  /** Waits for `max` milliseconds, or until `cut()` is called, but at least `min` milliseconds. */
  pause(max: number, min: number): Promise<void>
  cut(): void
}

export function createPacer(): Pacer {
  let isCut = false
  let waiting: AbortController | undefined

  return {
    async pause(max, min) {
      if (min > 0) await sleep(min, undefined, { ref: false })
      if (!isCut && max > min) {
        waiting = new AbortController()
        await sleep(max - min, undefined, { ref: false, signal: waiting.signal }).catch(() => {})
        waiting = undefined
      }
      isCut = false
    },
    cut() {
      isCut = true
      waiting?.abort()
    },
  }
}
