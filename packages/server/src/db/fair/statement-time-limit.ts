import pg from 'pg'
import { ApiError, secondsText } from '../../errors.ts'
import type { ConnectionUse } from '../database.ts'
import type { Pool } from '../pool/create-pool.ts'
import { cancelStatement } from './cancel-statement.ts'

export class TimeLimitError extends ApiError {
  readonly seconds: number

  constructor(ms: number) {
    const seconds = ms / 1_000
    super(
      'LIMIT_EXCEEDED',
      `reading from the database took longer than ${secondsText(seconds)}; request fewer records, or retry later`,
      { limit: seconds },
    )
    this.seconds = seconds
  }
}

export interface TimeLimitOptions {
  pool: Pool
  ms: number
  /** Called after a statement has been canceled at the time limit. */
  onEnd: () => void
}

interface Running {
  client: pg.PoolClient
  use: ConnectionUse
  /** The `performance.now()` time after which the statement is canceled. */
  until: number
}

export type TimeLimit = (use: ConnectionUse) => ConnectionUse

const CHECK_INTERVAL_MS = 200

/**
 * Cancels each statement that runs longer than `ms` milliseconds, and closes its connection. A late cancel request
 * could otherwise cancel the connection's next statement. All statements with this limit share a timer, because
 * separate timers would cost more than the rest of this function.
 */
export function createTimeLimit({ pool, ms, onEnd }: TimeLimitOptions): TimeLimit {
  /** Sorted by start time. All statements have the same limit, so they reach it in the same order. */
  const running = new Set<Running>()
  let timer: NodeJS.Timeout | undefined

  const check = (): void => {
    const now = performance.now()
    for (const statement of running) {
      if (statement.until > now) break
      running.delete(statement)
      statement.use.mustClose = true
      cancelStatement(statement.client, pool.options)
    }
    if (running.size > 0) return
    clearInterval(timer)
    timer = undefined
  }

  return (use) => {
    const limited: ConnectionUse = {
      ...use,
      async run(client, send) {
        const statement = { client, use: limited, until: performance.now() + ms }
        running.add(statement)
        timer ??= setInterval(check, Math.min(CHECK_INTERVAL_MS, ms / 10)).unref()
        try {
          return await send()
        } catch (error) {
          if (!limited.mustClose || !isCanceled(error)) throw error
          onEnd()
          throw new TimeLimitError(ms)
        } finally {
          running.delete(statement)
        }
      },
    }
    return limited
  }
}

const isCanceled = (error: unknown): boolean => error instanceof pg.DatabaseError && error.code === '57014'
