export interface Reload {
  add(read: () => Promise<void>): void
  now(): void
}

export function createReload(): Reload {
  const reloads: (() => Promise<void>)[] = []
  return {
    add: (read) => void reloads.push(read),
    now: () => reloads.forEach((read) => void read()),
  }
}
