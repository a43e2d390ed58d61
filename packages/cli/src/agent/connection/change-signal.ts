export interface ChangeSignal {
  notify(): void
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
