import { performance } from 'node:perf_hooks'

export interface StopSignal {
  /** Aborted when the server is to stop. */
  signal: AbortSignal
  /** Stops the server from inside. */
  stop(): void
  /** Leaves the process's signals alone again. */
  release(): void
}

const signals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const

/** POSIX: a process ended by signal n has the exit status 128 + n. */
const exitCodes = { SIGTERM: 143, SIGINT: 130, SIGHUP: 129 }

/** A terminal and the npm in front may each pass on the same Ctrl-C. */
const SAME_MS = 250

/** The first signal asks the server to finish what it does and stop; the second ends the process at once. */
export function onStopSignal(): StopSignal {
  const controller = new AbortController()
  let firstAt = 0
  const handle = (signal: (typeof signals)[number]): void => {
    if (!controller.signal.aborted) {
      firstAt = performance.now()
      controller.abort()
    } else if (performance.now() - firstAt > SAME_MS) {
      process.exit(exitCodes[signal])
    }
  }
  for (const signal of signals) process.on(signal, handle)
  return {
    signal: controller.signal,
    stop: () => controller.abort(),
    release: () => {
      for (const signal of signals) process.off(signal, handle)
    },
  }
}
