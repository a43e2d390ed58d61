import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'

export interface Part {
  name: string
  close: () => Promise<void>
  /** The number of milliseconds that `close` may take. After that, `closeAll` continues with the next part. */
  within: number
}

export interface Closing {
  add(part: Part): void
  closeAll(): Promise<void>
}

export function createClosing(log: FastifyBaseLogger): Closing {
  const parts: Part[] = []
  return {
    add: (part) => void parts.push(part),
    async closeAll() {
      for (let part = parts.pop(); part !== undefined; part = parts.pop()) await closeInTime(part, log)
    },
  }
}

async function closeInTime({ name, close, within }: Part, log: FastifyBaseLogger): Promise<void> {
  const timer = new AbortController()
  const timeout = sleep(within, 'late', { signal: timer.signal }).catch(() => undefined)
  try {
    if ((await Promise.race([close(), timeout])) === 'late')
      log.warn({ component: name }, 'a component of the server did not close in time')
  } catch (error) {
    log.warn({ err: error, component: name }, 'a component of the server failed to close')
  } finally {
    timer.abort()
  }
}
