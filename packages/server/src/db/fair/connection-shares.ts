import { availableParallelism } from 'node:os'

/** The numbers that determine how a pool's connections are divided among users. */
export interface Shares {
  connections: number
  /** The number of connections that are reserved for the server's own statements. */
  reserved: number
  perUser: number
  /** The maximum number of walking statements (see `Lane`) in flight: per user, and for all users together. */
  walksPerUser: number
  walks: number
  /** The number of milliseconds that a statement may wait before it begins. */
  waitMs: number
}

/** The maximum number of walking statements in flight per user in each process. */
const WALKS_PER_USER = 2
const WAIT_MS = 5_000

/**
 * Reserves a fifth of the connections, rounded down, but at least one, for the server's own statements. Walking
 * statements can use half of the other connections, rounded down. However, they can always use at least one, and never
 * more than the number of processors plus one. With more connections, walking statements would not end sooner, but
 * would delay a server that shares its processors with PostgreSQL. If the pool has at least three connections, one
 * remains for other users even while all statements of one user wait for a lock.
 */
export function sharesOf(
  connections: number,
  statementsPerUser: number,
  processors: number = availableParallelism(),
  waitMs: number = WAIT_MS,
): Shares {
  const reserved = Math.max(1, Math.floor(connections / 5))
  const forUsers = Math.max(1, connections - reserved)
  return {
    connections,
    reserved,
    perUser: Math.min(statementsPerUser, Math.max(1, forUsers - 1)),
    walksPerUser: WALKS_PER_USER,
    walks: Math.max(1, Math.min(Math.floor(forUsers / 2), processors + 1)),
    waitMs,
  }
}
