/** What a running server reads again when it is told to. */
export interface Reload {
  add(read: () => Promise<void>): void
  now(): void
}

export function createReload(): Reload {
  const reads: (() => Promise<void>)[] = []
  return {
    add: (read) => void reads.push(read),
    now: () => reads.forEach((read) => void read()),
  }
}
