import { performance } from 'node:perf_hooks'
import { isatty } from 'node:tty'

export interface StopSignal {
  signal: AbortSignal
  stop(): void
  release(): void
}

const signals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const

/** By convention, the exit status of a process that a signal ended is 128 plus the number of the signal. */
const exitCodes = { SIGTERM: 143, SIGINT: 130, SIGHUP: 129 }

/** For one Ctrl-C, both the terminal and npm may send a signal, so two signals within this time count as one. */
const DUPLICATE_MS = 250

/**
 * After the first signal, requests in flight have some time to finish before the server stops. A second signal ends the
 * process immediately, unless the signal follows within `DUPLICATE_MS`. If the server runs in a terminal, SIGHUP counts
 * like SIGTERM, because SIGHUP means that the terminal has closed. Without a terminal, SIGHUP requests a reload.
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
    } else if (performance.now() - firstAt > DUPLICATE_MS) {
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
