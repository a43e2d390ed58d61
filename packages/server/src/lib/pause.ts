import { setTimeout as sleep } from 'node:timers/promises'

/** Waits for so many milliseconds, or until the signal aborts; it never rejects. */
export const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  sleep(ms, undefined, { signal, ref: false }).catch(() => {})
