export interface Interruption {
  signal: AbortSignal
  release(): void
}

/**
 * The first Ctrl-C or SIGTERM aborts the returned `AbortSignal`, and calls `whenAsked`. The second one ends the process
 * immediately.
 */
export function onInterrupt(whenAsked: () => void): Interruption {
  const controller = new AbortController()
  const handle = (): void => {
    if (controller.signal.aborted) process.exit(130)
    controller.abort()
    whenAsked()
  }
  const signals = ['SIGINT', 'SIGTERM'] as const
  for (const signal of signals) process.on(signal, handle)
  return {
    signal: controller.signal,
    release: () => {
      for (const signal of signals) process.off(signal, handle)
    },
  }
}
