/** Wakes callers that wait for changes to report. */
export interface ChangeSignal {
  notify(): void
  /** Resolves at the next call to `notify`. */
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
