/** Wakes callers that wait for something new to report. */
export interface ChangeSignal {
  notify(): void
  /** Resolves at the next call of `notify`. */
  next(): Promise<void>
}

export function createChangeSignal(): ChangeSignal {
  let waiting = Promise.withResolvers<void>()
  return {
    notify() {
      waiting.resolve()
      waiting = Promise.withResolvers<void>()
    },
    next: () => waiting.promise,
  }
}
