import type { ApiError } from '../../errors.ts'

/** What producing a response takes. */
export interface Need {
  readonly bytes: number
  /** Of the slots for large responses; 0 for a response that cannot be large. */
  readonly weight: number
}

export interface Production {
  /**
   * Starts producing a response, now (undefined) or when there is room. `onEnd` gets what to call when it is produced or given up;
   * further calls of that do nothing.
   */
  start(caller: string, need: Need, onEnd: (end: () => void) => void): Promise<void> | undefined
  /** Counts a produced response until the returned function is called. */
  queue(caller: string, bytes: number): () => void
  isFull(caller: string): boolean
  queued(): number
}

export interface ProductionOptions {
  /** Bytes for all callers, and for one. */
  total: number
  perCaller: number
  /** What a caller gets that does not read what is queued. */
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
  /** Fails all that wait when nothing has started for a while. */
  stuck: NodeJS.Timeout | undefined
}

/** Slots for large responses in production: for all callers, and for one. */
const WEIGHT = 8
const WEIGHT_PER_CALLER = 4
/** A caller with unread responses that make room for no other in this time does not read them. */
const STUCK_MS = 15_000

/**
 * Decides when a response may be produced. A caller without any response starts at once whatever its size, up to the slots for large
 * ones; callers that wait take turns. The bytes of a caller are what is reserved for responses in production and what is queued.
 */
export function createProduction({ total, perCaller, queueFull }: ProductionOptions): Production {
  const callers = new Map<string, Caller>()
  /** In the order of their turns. */
  const waiting = new Set<string>()
  let bytes = 0
  let queued = 0
  let weight = 0

  const open = (name: string): Caller => {
    let caller = callers.get(name)
    if (caller === undefined) {
      caller = { queued: 0, reserved: 0, weight: 0, waiting: [], stuck: undefined }
      callers.set(name, caller)
    }
    return caller
  }

  const closeIfIdle = (name: string, caller: Caller): void => {
    if (caller.queued + caller.reserved + caller.weight + caller.waiting.length === 0) callers.delete(name)
  }

  const hasRoom = (caller: Caller, need: Need): boolean => {
    if (need.weight > 0 && (caller.weight + need.weight > WEIGHT_PER_CALLER || weight + need.weight > WEIGHT))
      return false
    const own = caller.queued + caller.reserved
    if (own === 0) return true
    const wanted = own + need.bytes
    return wanted <= perCaller && (bytes + need.bytes <= total || wanted * callers.size <= total)
  }

  const change = (caller: Caller, need: Need, by: 1 | -1): void => {
    caller.reserved += by * need.bytes
    caller.weight += by * need.weight
    bytes += by * need.bytes
    weight += by * need.weight
  }

  const begin = (name: string, caller: Caller, need: Need, onEnd: (end: () => void) => void): void => {
    change(caller, need, 1)
    let isOver = false
    onEnd(() => {
      if (isOver) return
      isOver = true
      change(caller, need, -1)
      closeIfIdle(name, caller)
      startWaiting()
    })
  }

  const stopWaiting = (name: string, caller: Caller): void => {
    if (caller.waiting.length > 0) return void caller.stuck?.refresh()
    clearTimeout(caller.stuck)
    caller.stuck = undefined
    waiting.delete(name)
  }

  /** One response of each caller in turn, until none has room. */
  const startWaiting = (): void => {
    for (const name of waiting) {
      const caller = open(name)
      const next = caller.waiting[0]
      if (next === undefined || !hasRoom(caller, next.need)) continue
      caller.waiting.shift()
      // The iteration meets it again behind the others.
      waiting.delete(name)
      waiting.add(name)
      next.start()
      stopWaiting(name, caller)
    }
  }

  const failWaiting = (name: string, caller: Caller): void => {
    // Nothing is unread: the server itself takes this long, and the caller must not pay for that.
    if (caller.queued === 0) return void caller.stuck?.refresh()
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
        begin(name, caller, need, onEnd)
        return undefined
      }
      return new Promise((resolve, reject) => {
        const start = (): void => {
          begin(name, caller, need, onEnd)
          resolve()
        }
        caller.waiting.push({ need, start, fail: () => reject(queueFull()) })
        waiting.add(name)
        caller.stuck ??= setTimeout(() => failWaiting(name, caller), STUCK_MS).unref()
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
