import { outputFailed } from './standard-output.ts'

export interface Interruption {
  signal: AbortSignal
  release(): void
}

/**
 * On the first Ctrl-C or SIGTERM, aborts the returned `signal` and calls `whenAsked`. On the second one, ends the
 * process immediately. `release` stops handling these signals. The returned `signal` also aborts if the output cannot be
 * written, because a command that runs until Ctrl-C would otherwise run forever.
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
    signal: AbortSignal.any([controller.signal, outputFailed]),
    release: () => {
      for (const signal of signals) process.off(signal, handle)
    },
  }
}
