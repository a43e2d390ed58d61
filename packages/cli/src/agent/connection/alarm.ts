/** Wakes whoever waits for something new. */
export interface Alarm {
  ring(): void
  /** Resolves with the next ring. */
  next(): Promise<void>
}

export function createAlarm(): Alarm {
  let waiting = Promise.withResolvers<void>()
  return {
    ring() {
      waiting.resolve()
      waiting = Promise.withResolvers<void>()
    },
    next: () => waiting.promise,
  }
}
