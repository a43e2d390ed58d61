import type { Worker } from 'node:cluster'
import type { FastifyBaseLogger } from 'fastify'
import { tell } from './messages.ts'

const LOOK_EVERY_MS = 1_000
/** One that loads its code cannot answer. */
const LEAST_START_SECONDS = 30
/** One that has much to do at the moment is not yet silent. */
const SILENT_LOOKS = 2

/** Asks the server processes, each second, whether their event loops run. */
export interface Watch {
  add(number: number, worker: Worker): void
  heard(number: number): void
  isSilent(number: number): boolean
  remove(number: number): void
  stop(): void
}

interface Watched {
  worker: Worker
  /**
   * Since it was asked what it has not answered. Not by the clock: where this process could not run, the answers that are there
   * seem late.
   */
  looks: number
  /** Said something, ever: it has started. */
  isHeard: boolean
}

/** One that is silent for so many seconds, or while it starts for 30 at least, is killed, by a signal that it need not hear; 0: none is. */
export function watchProcesses(mostSeconds: number, log: FastifyBaseLogger): Watch {
  const watched = new Map<number, Watched>()

  const timer = setInterval(() => {
    for (const [number, each] of watched) {
      const seconds = each.isHeard ? mostSeconds : Math.max(mostSeconds, LEAST_START_SECONDS)
      if (each.looks === 0) tell(each.worker, { kind: 'ask' })
      else if (mostSeconds > 0 && each.looks * LOOK_EVERY_MS === seconds * 1_000) {
        log.error({ process: number, pid: each.worker.process.pid, seconds }, 'a server process is silent')
        each.worker.process.kill('SIGKILL')
      }
      each.looks++
    }
  }, LOOK_EVERY_MS)

  return {
    add: (number, worker) => void watched.set(number, { worker, looks: 0, isHeard: false }),
    heard(number) {
      const found = watched.get(number)
      if (found === undefined) return
      found.looks = 0
      found.isHeard = true
    },
    isSilent: (number) => (watched.get(number)?.looks ?? 0) > SILENT_LOOKS,
    remove: (number) => void watched.delete(number),
    stop: () => clearInterval(timer),
  }
}
