import { performance } from 'node:perf_hooks'
import { isatty } from 'node:tty'

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

/**
 * The first signal asks the server to finish what it does and stop; the second ends the process at once. SIGHUP is one of them
 * on a terminal, where it says that the terminal is gone; elsewhere it asks to read again what can change.
 */
export function onStopSignal(reload: () => void): StopSignal {
  const controller = new AbortController()
  let firstAt = 0
  const handle = (signal: (typeof signals)[number]): void => {
    if (signal === 'SIGHUP' && !hasTerminal()) {
      reload()
    } else if (!controller.signal.aborted) {
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

const hasTerminal = (): boolean => [0, 1, 2].some((descriptor) => isatty(descriptor))
