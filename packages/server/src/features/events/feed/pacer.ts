import { setTimeout as sleep } from 'node:timers/promises'

/** `cut()` shortens the current pause, or the next one if no pause is in progress. */
export interface Pacer {
  /** Waits for `max` milliseconds or until `cut()` is called, but at least for `min` milliseconds. */
  pause(max: number, min: number): Promise<void>
  cut(): void
}

export function createPacer(): Pacer {
  let isCut = false
  let endPause: (() => void) | undefined

  /**
   * Uses a timer and a callback instead of an abort signal, because every mutation may cut a pause and aborting a
   * signal is slow.
   */
  const pauseUntilCut = async (ms: number): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, ms).unref()
    endPause = resolve
    await promise
    endPause = undefined
    clearTimeout(timer)
  }

  return {
    async pause(max, min) {
      if (min > 0) await sleep(min, undefined, { ref: false })
      if (!isCut && max > min) await pauseUntilCut(max - min)
      isCut = false
    },
    cut() {
      isCut = true
      endPause?.()
    },
  }
}
