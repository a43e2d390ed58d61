import { ApiError } from '../../errors.ts'
import {
  type ConnectionUse,
  createConnector,
  type Database,
  databaseOf,
  type Pool,
  type PoolWatch,
} from '../database.ts'
import {
  createStatementScheduler,
  type Lane,
  type Rejection,
  type StatementScheduler,
  sharesOf,
  type UserStatements,
} from './statement-scheduler.ts'
import { createTimeLimit, type TimeLimit, TimeLimitError } from './time-limit.ts'

export interface FairOptions {
  /** Statements of one user in flight at most. */
  statementsPerUser: number
  /** Milliseconds that a statement of a query may take; 0 for no limit of its own. */
  queryMs: number
  /** Called with what counts its statements, once. */
  onOpen?: ((counts: Pick<StatementScheduler, 'inFlight' | 'waiting'>) => void) | undefined
  onReject?: ((reason: Rejection) => void) | undefined
}

/** The databases of one user on one pool. */
interface UserDatabases {
  statements: UserStatements
  /** For what changes something: no time limit of its own. */
  writing: Database
  /** For queries: the same with the time limit. */
  reading: Database
  /** For downloads: in turn with walking statements, and no time limit of its own. */
  downloading: Database
}

/** Users whose databases are kept. One costs a few KiB; a user without one gets it again. */
const MOST_USERS = 1_000

const usersOf = new WeakMap<Database, (accountId: string) => UserDatabases>()
/** For statements that may read every record: few at a time, and with the time limit. */
const walkingOf = new WeakMap<Database, Database>()

/**
 * The database for the server's own work, which may use every connection of the pool. What users ask for must go through
 * `userDatabase`, which shares the connections out among them.
 */
export function createFairDatabase(pool: Pool, watch: PoolWatch, options: FairOptions): Database {
  const { statementsPerUser, queryMs, onOpen, onReject } = options
  const scheduler = createStatementScheduler(sharesOf(pool.options.max, statementsPerUser), onReject)
  const { connect } = createConnector(pool, watch)
  const limitTime: TimeLimit =
    queryMs === 0 ? (use) => use : createTimeLimit({ pool, ms: queryMs, onEnd: () => onReject?.('time') })
  const ofServer: ConnectionUse = { done: scheduler.leaveServer }
  const server = databaseOf(pool, () => {
    scheduler.enterServer()
    return connect(ofServer, performance.now())
  })

  const databaseFor = (statements: UserStatements, lane: Lane, use: () => ConnectionUse): Database => {
    const connectInTurn = async (asked: number, turn: Promise<void>) => {
      await turn
      return connect(use(), asked)
    }
    return databaseOf(pool, () => {
      const asked = performance.now()
      const turn = scheduler.enter(statements, lane)
      return turn === undefined ? connect(use(), asked) : connectInTurn(asked, turn)
    })
  }

  const createUser = (): UserDatabases => {
    const statements = scheduler.createUser()
    const useOf = (lane: Lane): ConnectionUse => {
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
      }
    }
    const writing = databaseFor(statements, 'quick', () => useOf('quick'))
    const reading = databaseFor(statements, 'quick', () => limitTime(useOf('quick')))
    const walking = databaseFor(statements, 'walking', () => limitTime(useOf('walking')))
    const downloading = databaseFor(statements, 'walking', () => useOf('walking'))
    walkingOf.set(writing, walking).set(reading, walking)
    return { statements, writing, reading, downloading }
  }

  const users = new Map<string, UserDatabases>()
  usersOf.set(server, (accountId) => {
    let user = users.get(accountId)
    if (user === undefined) {
      user = createUser()
      users.set(accountId, user)
      if (users.size > MOST_USERS) forgetIdle(users)
    }
    return user
  })
  onOpen?.(scheduler)
  return endingPool(server, pool)
}

/** Kysely ends the pool only if this database was used, and it may be that only those of users were. */
function endingPool(server: Database, pool: Pool): Database {
  const destroy = server.destroy.bind(server)
  server.destroy = async () => {
    await destroy()
    if (!pool.ending) await pool.end()
  }
  return server
}

/** One that has something in flight is kept, so that no user counts twice. */
function forgetIdle(users: Map<string, UserDatabases>): void {
  for (const [accountId, { statements }] of users) {
    if (statements.inFlight > 0 || statements.waiting.length > 0) continue
    users.delete(accountId)
    return
  }
}

/**
 * The same database for what this user asks for: its statements take their turn with those of other users. A transaction counts as one
 * statement. A database that knows no users is returned as it is.
 */
export const userDatabase = (db: Database, accountId: string): Database => usersOf.get(db)?.(accountId).writing ?? db

/** The same for queries: each statement has a time limit, and one that takes longer fails with LIMIT_EXCEEDED. */
export const queryDatabase = (db: Database, accountId: string): Database => usersOf.get(db)?.(accountId).reading ?? db

/** The same for downloads, which take turns with the statements of `walk` and may take long. */
export const downloadDatabase = (db: Database, accountId: string): Database =>
  usersOf.get(db)?.(accountId).downloading ?? db

/**
 * Runs a statement that may read every record of the account. Few of them run at a time, so that quick statements of others need
 * not wait for their end, and each has a time limit. `reasons` says which arguments are to blame, as `rowsRead` does. Empty: it is a
 * statement as any other.
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
    throw new ApiError('LIMIT_EXCEEDED', `this took longer than ${seconds} seconds: ${reasons.join('; ')}`, {
      limit: seconds,
    })
  }
}
