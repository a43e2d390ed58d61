import type { Worker } from 'node:cluster'
import type { FastifyBaseLogger } from 'fastify'
import { sendTo } from './messages.ts'

const CHECK_EVERY_MS = 1_000
/** A starting process has at least this time to respond, because it cannot respond while it loads its code. */
const MIN_START_SECONDS = 30
/** The number of checks that a busy process can miss before it counts as unresponsive. */
const TOLERATED_CHECKS = 2

export interface Watch {
  add(number: number, worker: Worker): void
  /** Must be called for every message from a process. */
  recordMessage(number: number): void
  isUnresponsive(number: number): boolean
  remove(number: number): void
  stop(): void
}

interface Watched {
  worker: Worker
  /**
   * The number of checks since the last message from the process. A time would be misleading: if the parent process
   * could not run, responses that arrived in time would seem late.
   */
  missedChecks: number
  /** Whether the process has sent a message, which shows that it has started. */
  hasStarted: boolean
}

/**
 * Kills a process with SIGKILL if it does not respond for `maxSeconds`. While a process starts, the limit is at least
 * `MIN_START_SECONDS`. Kills no process if `maxSeconds` is 0.
 */
export function watchProcesses(maxSeconds: number, log: FastifyBaseLogger): Watch {
  const watched = new Map<number, Watched>()

  const timer = setInterval(() => {
    for (const [number, each] of watched) {
      const seconds = each.hasStarted ? maxSeconds : Math.max(maxSeconds, MIN_START_SECONDS)
      if (each.missedChecks === 0) sendTo(each.worker, { kind: 'ask' })
      else if (maxSeconds > 0 && each.missedChecks * CHECK_EVERY_MS === seconds * 1_000) {
        log.error(
          { process: number, pid: each.worker.process.pid, seconds },
          'a server process is not responding; killing it',
        )
        each.worker.process.kill('SIGKILL')
      }
      each.missedChecks++
    }
  }, CHECK_EVERY_MS)

  return {
    add: (number, worker) => void watched.set(number, { worker, missedChecks: 0, hasStarted: false }),
    recordMessage(number) {
      const found = watched.get(number)
      if (found === undefined) return
      found.missedChecks = 0
      found.hasStarted = true
    },
    isUnresponsive: (number) => (watched.get(number)?.missedChecks ?? 0) > TOLERATED_CHECKS,
    remove: (number) => void watched.delete(number),
    stop: () => clearInterval(timer),
  }
}
