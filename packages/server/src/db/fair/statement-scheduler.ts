import { ApiError, secondsText } from '../../errors.ts'
import { limits } from '../../limits.ts'
import type { Shares } from './connection-shares.ts'

/** `walking`: the statement may read every device or event of the account, or belongs to a download. */
export type Lane = 'quick' | 'walking'

export type Rejection = 'queue' | 'wait' | 'time'

/**
 * The number of milliseconds between checks for statements that have waited too long. All waiting statements share a
 * timer, because separate timers would cost more than the queue itself.
 */
const CHECK_INTERVAL_MS = 200

interface Waiting {
  lane: Lane
  start: () => void
  reject: (error: Error) => void
  /** The `performance.now()` time after which the statement is rejected. */
  until: number
}

export interface UserStatements {
  inFlight: number
  walks: number
  /** The number of statements in flight that have no connection yet. */
  connecting: number
  waiting: Waiting[]
}

export interface StatementScheduler {
  /** Counts one of the server's own statements, which the scheduler never delays. */
  enterServer(): void
  leaveServer(): void
  createUser(): UserStatements
  /**
   * Returns undefined if the statement may begin immediately. Otherwise, returns a promise that resolves when the
   * statement may begin. The promise rejects if the statement waits too long, or if too many of the user's statements
   * are waiting.
   */
  enter(user: UserStatements, lane: Lane): Promise<void> | undefined
  leave(user: UserStatements, lane: Lane): void
  inFlight(): Record<Lane, number>
  waiting(): Record<Lane, number>
}

/**
 * Divides a pool's connections among users. The pool's own queue contains only the server's statements. Among the users
 * with a waiting statement that may start, the one with the fewest statements in flight gets a free connection.
 */
export function createStatementScheduler(
  shares: Shares,
  onReject: (reason: Rejection) => void = () => {},
): StatementScheduler {
  const maxOfUsers = Math.max(1, shares.connections - shares.reserved)
  /** The users with waiting statements, in the order in which they take turns. */
  const waitingUsers = new Set<UserStatements>()
  const inFlight = { quick: 0, walking: 0 }
  const waiting = { quick: 0, walking: 0 }
  let ofServer = 0
  let timer: NodeJS.Timeout | undefined

  const hasConnection = (): boolean => {
    const ofUsers = inFlight.quick + inFlight.walking
    return ofUsers < maxOfUsers && ofUsers + ofServer < shares.connections
  }

  const mayStart = (user: UserStatements, lane: Lane): boolean =>
    user.inFlight < shares.perUser &&
    (lane === 'quick' || (user.walks < shares.walksPerUser && inFlight.walking < shares.walks))

  const begin = (user: UserStatements, lane: Lane): void => {
    inFlight[lane]++
    user.inFlight++
    user.connecting++
    if (lane === 'walking') user.walks++
  }

  const dequeue = (user: UserStatements, index: number): Waiting => {
    const [taken] = user.waiting.splice(index, 1)
    waiting[taken!.lane]--
    if (user.waiting.length === 0) waitingUsers.delete(user)
    return taken!
  }

  const next = (): { user: UserStatements; index: number } | undefined => {
    let found: { user: UserStatements; index: number } | undefined
    for (const user of waitingUsers) {
      if (found !== undefined && user.inFlight >= found.user.inFlight) continue
      const index = firstStartable(user, mayStart)
      if (index === undefined) continue
      found = { user, index }
      if (user.inFlight === 0) break
    }
    return found
  }

  const startNext = (): void => {
    while (waitingUsers.size > 0 && hasConnection()) {
      const found = next()
      if (found === undefined) return
      const { user } = found
      const { lane, start } = dequeue(user, found.index)
      begin(user, lane)
      // The served user moves to the end, because users take turns.
      if (waitingUsers.delete(user)) waitingUsers.add(user)
      start()
    }
  }

  const rejectExpired = (): void => {
    const now = performance.now()
    for (const user of waitingUsers)
      while (user.waiting.length > 0 && user.waiting[0]!.until <= now) {
        const { lane, reject } = dequeue(user, 0)
        reject(rejection(user, lane))
      }
    if (waitingUsers.size > 0) return
    clearInterval(timer)
    timer = undefined
  }

  const rejection = (user: UserStatements, lane: Lane): Error => {
    // If the user's other statements have no connection yet, the database may be unreachable. The error is therefore
    // the one that the pool throws if it cannot connect.
    if (user.connecting > 0) return new Error('timeout exceeded when trying to connect')
    onReject('wait')
    return waitedTooLong(user, lane, shares)
  }

  return {
    enterServer: () => void ofServer++,
    leaveServer() {
      ofServer--
      if (waitingUsers.size > 0) startNext()
    },
    createUser: () => ({ inFlight: 0, walks: 0, connecting: 0, waiting: [] }),
    enter(user, lane) {
      if (hasConnection() && mayStart(user, lane)) return void begin(user, lane)
      if (user.waiting.length >= limits.waitingStatements) {
        onReject('queue')
        return Promise.reject(queueIsFull(user))
      }
      return new Promise((start, reject) => {
        user.waiting.push({ lane, start, reject, until: performance.now() + shares.waitMs })
        waiting[lane]++
        waitingUsers.add(user)
        timer ??= setInterval(rejectExpired, CHECK_INTERVAL_MS)
      })
    },
    leave(user, lane) {
      inFlight[lane]--
      user.inFlight--
      if (lane === 'walking') user.walks--
      if (waitingUsers.size > 0) startNext()
    },
    inFlight: () => ({ ...inFlight }),
    waiting: () => ({ ...waiting }),
  }
}

/**
 * Returns the index of the first waiting statement that may start, or undefined if none may. Each lane is served in
 * order, and neither lane waits for the other.
 */
function firstStartable(
  user: UserStatements,
  mayStart: (user: UserStatements, lane: Lane) => boolean,
): number | undefined {
  const first = user.waiting[0]!
  if (mayStart(user, first.lane)) return 0
  // Every limit on quick statements also applies to walking ones. If no quick statement may start, no statement may.
  if (first.lane === 'quick' || !mayStart(user, 'quick')) return undefined
  const index = user.waiting.findIndex(({ lane }) => lane === 'quick')
  return index === -1 ? undefined : index
}

function waitedTooLong(user: UserStatements, lane: Lane, { waitMs, perUser, walksPerUser }: Shares): ApiError {
  const waited = `a statement waited ${secondsText(waitMs / 1_000)} to start`
  if (lane === 'walking' && user.walks >= walksPerUser)
    return rateLimited(
      `${waited}: of the queries that may read every record, an account may run at most ${walksPerUser} at a time; send fewer of these queries at the same time`,
    )
  if (user.inFlight >= perUser)
    return rateLimited(
      `${waited}: this account has ${user.inFlight} statements running and ${user.waiting.length + 1} waiting; send fewer requests at the same time`,
    )
  if (lane === 'walking')
    return rateLimited(
      `${waited}: no connection for queries that may read every record was free, and all accounts share these connections; retry later`,
    )
  return new ApiError('UNAVAILABLE', `${waited}: the database is busy; retry in 1 second`, { retryAfter: 1 })
}

const queueIsFull = (user: UserStatements): ApiError =>
  rateLimited(
    `${user.waiting.length} statements of this account are waiting for the database, which is the maximum; send fewer requests at the same time`,
  )

const rateLimited = (message: string): ApiError => new ApiError('RATE_LIMITED', message, { retryAfter: 1 })
