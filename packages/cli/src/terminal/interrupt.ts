export interface Interruption {
  signal: AbortSignal
  release(): void
}

/**
 * On the first Ctrl-C or SIGTERM, aborts the returned `signal` and calls `whenAsked`. On the second one, ends the
 * process immediately. `release` stops handling these signals.
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
