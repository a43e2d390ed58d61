import { setTimeout as sleep } from 'node:timers/promises'
import { ApiError, limitExceeded, secondsText } from '../../errors.ts'
import { type ConnectionUse, createConnector, type Database, databaseOf, type PoolWatch } from '../database.ts'
import type { Pool } from '../pool/create-pool.ts'
import { sharesOf } from './connection-shares.ts'
import {
  createStatementScheduler,
  type Lane,
  type Rejection,
  type StatementScheduler,
  type UserStatements,
} from './statement-scheduler.ts'
import { createTimeLimit, type TimeLimit, TimeLimitError } from './statement-time-limit.ts'

export interface FairOptions {
  statementsPerUser: number
  /** The number of milliseconds that a query statement may take. With 0, only the statement timeout applies. */
  queryMs: number
  /** The time limit, in milliseconds, of statements that may read every record. The default is `queryMs`. */
  walkMs?: number | undefined
  /** The number of processors of this machine. The default is the number that Node.js finds. */
  processors?: number | undefined
  /** The number of milliseconds that a statement may wait before it begins. The default is 5,000. */
  waitMs?: number | undefined
  /** Returns the text that is sent for a statement of a user's query. By default, the statement itself is sent. */
  rewriteQuery?: ((text: string, accountId: string) => string) | undefined
  /** Called once, with functions that return the statement counts. */
  onOpen?: ((counts: Pick<StatementScheduler, 'inFlight' | 'waiting'>) => void) | undefined
  onReject?: ((reason: Rejection) => void) | undefined
}

interface UserDatabases {
  statements: UserStatements
  /** Runs the statements of mutations, except those of `walk`. Only the statement timeout applies to them. */
  writing: Database
  /** Runs queries, to which the query time limit applies. */
  reading: Database
  /** Runs downloads in the walking lane, without the query time limit. */
  downloading: Database
}

/** The `Database` objects of a user occupy a few KiB and are created again when needed. */
const MAX_CACHED_USERS = 1_000

const usersOf = new WeakMap<Database, (accountId: string) => UserDatabases>()
/** Maps a user's database to the one for statements that may read every record. */
const walkingOf = new WeakMap<Database, Database>()

/**
 * Creates a database for the server's own statements. User requests must use `userDatabase`, `queryDatabase`, or
 * `downloadDatabase`, which divide the connections among users.
 */
export function createFairDatabase(pool: Pool, watch: PoolWatch, options: FairOptions): Database {
  const { statementsPerUser, queryMs, walkMs = queryMs, processors, waitMs, rewriteQuery, onOpen, onReject } = options
  const shares = sharesOf(pool.options.max, statementsPerUser, processors, waitMs)
  const scheduler = createStatementScheduler(shares, onReject)
  const { connect } = createConnector(pool, watch)
  const timeLimit = (ms: number): TimeLimit =>
    ms === 0 ? (use) => use : createTimeLimit({ pool, ms, onEnd: () => onReject?.('time') })
  const limitQuery = timeLimit(queryMs)
  const limitWalk = timeLimit(walkMs)
  const ofServer: ConnectionUse = { done: scheduler.leaveServer }
  const server = databaseOf(pool, () => {
    scheduler.enterServer()
    return connect(ofServer, performance.now())
  })

  const users = new Map<string, UserDatabases>()
  const addUser = (accountId: string, user: UserDatabases): UserDatabases => {
    if (users.size >= MAX_CACHED_USERS) evictIdleUser(users)
    users.set(accountId, user)
    return user
  }

  const createUser = (accountId: string): UserDatabases => {
    const databaseFor = (lane: Lane, createUse: (statements: UserStatements) => ConnectionUse): Database => {
      const connectWhenAdmitted = async (statements: UserStatements, requestedAt: number, admitted: Promise<void>) => {
        await admitted
        return connect(createUse(statements), requestedAt)
      }
      return databaseOf(pool, () => {
        const requestedAt = performance.now()
        // The cache may have evicted this user, and may contain a newer entry. All of the user's statements must count in
        // the same entry.
        const { statements } = users.get(accountId) ?? addUser(accountId, user)
        const admitted = scheduler.enter(statements, lane)
        if (admitted === undefined) return connect(createUse(statements), requestedAt)
        return connectWhenAdmitted(statements, requestedAt, admitted)
      })
    }
    const useOf = (statements: UserStatements, lane: Lane, rewrite?: ConnectionUse['rewrite']): ConnectionUse => {
      let isConnected = false
      return {
        connected() {
          isConnected = true
          statements.connecting--
        },
        done() {
          if (!isConnected) statements.connecting--
          scheduler.leave(statements, lane)
        },
        rewrite,
      }
    }
    const rewrite = rewriteQuery && ((text: string) => rewriteQuery(text, accountId))
    const writing = databaseFor('quick', (statements) => useOf(statements, 'quick'))
    const reading = databaseFor('quick', (statements) => limitQuery(useOf(statements, 'quick', rewrite)))
    const walking = databaseFor('walking', (statements) => limitWalk(useOf(statements, 'walking', rewrite)))
    const downloading = databaseFor('walking', (statements) => useOf(statements, 'walking'))
    walkingOf.set(writing, walking).set(reading, walking)
    const user = { statements: scheduler.createUser(), writing, reading, downloading }
    return user
  }

  usersOf.set(server, (accountId) => users.get(accountId) ?? addUser(accountId, createUser(accountId)))
  onOpen?.(scheduler)
  return endingPool(server, pool)
}

/** Kysely ends a pool only if the destroyed instance has used it, but the users' instances also use this pool. */
function endingPool(server: Database, pool: Pool): Database {
  const destroy = server.destroy.bind(server)
  server.destroy = async () => {
    await destroy()
    if (!pool.ending) await pool.end()
  }
  return server
}

/**
 * Removes one user who has no statements in flight or waiting. Keeps users with such statements, because a second entry
 * would count their further statements separately.
 */
function evictIdleUser(users: Map<string, UserDatabases>): void {
  for (const [accountId, { statements }] of users) {
    if (statements.inFlight > 0 || statements.waiting.length > 0) continue
    users.delete(accountId)
    return
  }
}

/**
 * Returns the database for a user. The scheduler counts a transaction as one statement. If `db` has no scheduler,
 * returns `db` itself.
 */
export const userDatabase = (db: Database, accountId: string): Database => usersOf.get(db)?.(accountId).writing ?? db

/** Like `userDatabase`, but for queries: a statement that exceeds the query time limit fails with LIMIT_EXCEEDED. */
export const queryDatabase = (db: Database, accountId: string): Database => usersOf.get(db)?.(accountId).reading ?? db

/** Like `userDatabase`, but for downloads, whose statements use the walking lane and have no query time limit. */
export const downloadDatabase = (db: Database, accountId: string): Database =>
  usersOf.get(db)?.(accountId).downloading ?? db

/** Retries a statement every second while the scheduler rejects it with RATE_LIMITED. */
export async function retryWhenRateLimited<Result>(run: () => Promise<Result>): Promise<Result> {
  for (;;) {
    try {
      return await run()
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'RATE_LIMITED') throw error
      await sleep(1_000, undefined, { ref: false })
    }
  }
}

/**
 * Runs a statement that may read every record. `reasons` explains why the statement may do so. If the statement exceeds
 * its time limit, the error contains the reasons. If `reasons` is empty, the statement runs like any other.
 */
export async function walk<Result>(
  db: Database,
  reasons: readonly string[],
  run: (db: Database) => Promise<Result>,
): Promise<Result> {
  const walking = reasons.length === 0 ? undefined : walkingOf.get(db)
  if (walking === undefined) return run(db)
  try {
    return await run(walking)
  } catch (error) {
    if (!(error instanceof TimeLimitError)) throw error
    const { seconds } = error
    const message = `reading from the database took longer than ${secondsText(seconds)}: ${reasons.join('; ')}`
    throw limitExceeded(message, { limit: seconds })
  }
}
