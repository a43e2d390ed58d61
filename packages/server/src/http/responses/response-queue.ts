import type { ApiError } from '../../errors.ts'

export interface Need {
  readonly bytes: number
  /** The number of slots for large responses that the response takes. 0 means that the response cannot be large. */
  readonly weight: number
}

export interface ResponseQueue {
  /**
   * Returns undefined if production starts immediately. Otherwise, returns a promise that resolves when production
   * starts. It rejects with the error of `queueFull` if none of the caller's waiting responses starts for a while and
   * the caller has unread responses. `onEnd` receives a function to call when the response is produced or abandoned. If
   * the response is still waiting, the first call removes it from the queue, and the promise resolves. Further calls do
   * nothing.
   */
  start(caller: string, need: Need, onEnd: (end: () => void) => void): Promise<void> | undefined
  /** Counts a produced response until the returned function is called. */
  queue(caller: string, bytes: number): () => void
  isFull(caller: string): boolean
  queued(): number
}

export interface ResponseQueueOptions {
  /** The limit in bytes for all callers together. */
  total: number
  perCaller: number
  queueFull: () => ApiError
}

interface Waiting {
  need: Need
  start: () => void
  fail: () => void
}

interface Caller {
  queued: number
  reserved: number
  weight: number
  waiting: Waiting[]
  /**
   * A timer that rejects the caller's waiting responses if none of them starts for a while and the caller has unread
   * responses.
   */
  stuckTimer: NodeJS.Timeout | undefined
}

/** The number of slots for large responses that are being produced: for all callers together, and for each caller. */
const MAX_WEIGHT = 8
const MAX_WEIGHT_PER_CALLER = 4
/** The duration of `stuckTimer`, in milliseconds. Each start of a waiting response restarts the timer. */
const STUCK_MS = 15_000

/**
 * The response of a caller without other responses starts immediately, regardless of its size, if enough slots for
 * large responses are free. Waiting callers are served in round-robin order.
 */
export function createResponseQueue({ total, perCaller, queueFull }: ResponseQueueOptions): ResponseQueue {
  const callers = new Map<string, Caller>()
  /** Contains callers with waiting responses, in round-robin order. */
  const waitingCallers = new Set<string>()
  let bytes = 0
  let queued = 0
  let weight = 0

  const open = (name: string): Caller => {
    let caller = callers.get(name)
    if (caller === undefined) {
      caller = { queued: 0, reserved: 0, weight: 0, waiting: [], stuckTimer: undefined }
      callers.set(name, caller)
    }
    return caller
  }

  /**
   * A response with an expected size of 0 does not count. When it ends, its caller may already have been deleted, and
   * another object may have taken its place.
   */
  const closeIfIdle = (name: string, caller: Caller): void => {
    const isIdle = caller.queued + caller.reserved + caller.weight + caller.waiting.length === 0
    if (isIdle && callers.get(name) === caller) callers.delete(name)
  }

  const hasRoom = (caller: Caller, need: Need): boolean => {
    if (need.weight > 0 && (caller.weight + need.weight > MAX_WEIGHT_PER_CALLER || weight + need.weight > MAX_WEIGHT))
      return false
    const own = caller.queued + caller.reserved
    if (own === 0) return true
    const needed = own + need.bytes
    return needed <= perCaller && (bytes + need.bytes <= total || needed * callers.size <= total)
  }

  const change = (caller: Caller, need: Need, by: 1 | -1): void => {
    caller.reserved += by * need.bytes
    caller.weight += by * need.weight
    bytes += by * need.bytes
    weight += by * need.weight
  }

  const begin = (name: string, caller: Caller, need: Need): (() => void) => {
    change(caller, need, 1)
    let hasEnded = false
    return () => {
      if (hasEnded) return
      hasEnded = true
      change(caller, need, -1)
      closeIfIdle(name, caller)
      startWaiting()
    }
  }

  const abandon = (name: string, caller: Caller, response: Waiting): void => {
    const index = caller.waiting.indexOf(response)
    if (index === -1) return
    caller.waiting.splice(index, 1)
    if (caller.waiting.length === 0) stopWaiting(name, caller)
    closeIfIdle(name, caller)
    // The caller's next waiting response may need less memory, so it may start now.
    startWaiting()
  }

  const stopWaiting = (name: string, caller: Caller): void => {
    clearTimeout(caller.stuckTimer)
    caller.stuckTimer = undefined
    waitingCallers.delete(name)
  }

  const startWaiting = (): void => {
    for (const name of waitingCallers) {
      const caller = open(name)
      const next = caller.waiting[0]
      if (next === undefined || !hasRoom(caller, next.need)) continue
      caller.waiting.shift()
      // Adding the caller again moves it to the end of the set, so this loop returns to it after the other callers.
      waitingCallers.delete(name)
      waitingCallers.add(name)
      next.start()
      if (caller.waiting.length === 0) stopWaiting(name, caller)
      else caller.stuckTimer?.refresh()
    }
  }

  const failWaiting = (name: string, caller: Caller): void => {
    // If the caller has no unread responses, the server itself is slow, so the requests must not fail.
    if (caller.queued === 0) return void caller.stuckTimer?.refresh()
    const failed = caller.waiting.splice(0)
    stopWaiting(name, caller)
    closeIfIdle(name, caller)
    for (const { fail } of failed) fail()
  }

  return {
    queued: () => queued,
    isFull(name) {
      const caller = callers.get(name)
      if (caller === undefined) return false
      return caller.queued >= perCaller || (queued >= total && caller.queued * callers.size >= queued)
    },
    start(name, need, onEnd) {
      const caller = open(name)
      if (caller.waiting.length === 0 && hasRoom(caller, need)) {
        onEnd(begin(name, caller, need))
        return undefined
      }
      return new Promise((resolve, reject) => {
        let end = (): void => {
          abandon(name, caller, response)
          resolve()
        }
        const start = (): void => {
          end = begin(name, caller, need)
          resolve()
        }
        const response: Waiting = { need, start, fail: () => reject(queueFull()) }
        caller.waiting.push(response)
        waitingCallers.add(name)
        caller.stuckTimer ??= setTimeout(() => failWaiting(name, caller), STUCK_MS).unref()
        onEnd(() => end())
      })
    },
    queue(name, size) {
      const caller = open(name)
      const add = (by: number): void => {
        caller.queued += by
        queued += by
        bytes += by
      }
      add(size)
      return () => {
        add(-size)
        closeIfIdle(name, caller)
        startWaiting()
      }
    },
  }
}
