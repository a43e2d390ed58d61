import { setTimeout as sleep } from 'node:timers/promises'

/** The pause between two reads. It can be cut short, even in advance. */
export interface Pacer {
  /** Lasts `most` milliseconds, or until it is cut short, but at least `least`. */
  pause(most: number, least: number): Promise<void>
  cut(): void
}

export function createPacer(): Pacer {
  let isCut = false
  let waiting: AbortController | undefined

  return {
    async pause(most, least) {
      if (least > 0) await sleep(least, undefined, { ref: false })
      if (!isCut && most > least) {
        waiting = new AbortController()
        await sleep(most - least, undefined, { ref: false, signal: waiting.signal }).catch(() => {})
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
