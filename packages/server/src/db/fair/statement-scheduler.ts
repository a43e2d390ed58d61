import { ApiError } from '../../errors.ts'
import { limits } from '../../limits.ts'

/** `walking`: a statement that may read every device or event of the account, as `rowsRead` tells. */
export type Lane = 'quick' | 'walking'

/** Why a statement of a user was rejected. */
export type Rejection = 'queue' | 'wait' | 'time'

/** How the connections of a pool are shared out. */
export interface Shares {
  /** Connections of the pool. */
  connections: number
  /** Those of them that statements of users never take. */
  reserved: number
  /** Statements of one user in flight; a transaction counts as one. */
  perUser: number
  /** Walking statements in flight: of one user, and of all. */
  walksPerUser: number
  walks: number
  /** Milliseconds that a statement waits for its turn. */
  waitMs: number
}

/** Walking statements of one account in flight on each process. */
const WALKS_PER_USER = 2
const WAIT_MS = 5_000
/** One timer for all that wait: one for each would cost more than the queue itself. */
const LOOK_EVERY_MS = 200

/** A fifth of the connections is reserved, and at most half of the rest walks. */
export function sharesOf(connections: number, statementsPerUser: number): Shares {
  const reserved = Math.max(1, Math.floor(connections / 5))
  const forUsers = Math.max(1, connections - reserved)
  return {
    connections,
    reserved,
    perUser: Math.min(statementsPerUser, forUsers),
    walksPerUser: WALKS_PER_USER,
    walks: Math.max(1, Math.floor(forUsers / 2)),
    waitMs: WAIT_MS,
  }
}

interface Waiting {
  lane: Lane
  start: () => void
  reject: (error: Error) => void
  /** When it has waited long enough, by `performance.now()`. */
  until: number
}

/** What one user has in flight and in line. */
export interface UserStatements {
  inFlight: number
  walks: number
  /** Of those in flight, the ones that have no connection yet. */
  connecting: number
  waiting: Waiting[]
}

export interface StatementScheduler {
  /** A statement of the server itself begins or ends: it waits for nobody. */
  enterServer(): void
  leaveServer(): void
  createUser(): UserStatements
  /** Undefined if the statement may begin at once. Rejects with RATE_LIMITED if its turn does not come. */
  enter(user: UserStatements, lane: Lane): Promise<void> | undefined
  leave(user: UserStatements, lane: Lane): void
  /** Statements of users, in flight and waiting, by lane. */
  inFlight(): Record<Lane, number>
  waiting(): Record<Lane, number>
}

/**
 * Shares a pool's connections out among users. A statement of a user begins only if the pool has a connection for it, so that the
 * pool's own queue holds nothing but statements of the server; all others wait here. A connection that becomes free goes to the
 * waiting user with the fewest statements in flight, in turn.
 */
export function createStatementScheduler(
  shares: Shares,
  onReject: (reason: Rejection) => void = () => {},
): StatementScheduler {
  const mostOfUsers = Math.max(1, shares.connections - shares.reserved)
  /** Those with statements in line, the one that was served last at the end. */
  const inLine = new Set<UserStatements>()
  const inFlight = { quick: 0, walking: 0 }
  const waiting = { quick: 0, walking: 0 }
  let ofServer = 0
  let timer: NodeJS.Timeout | undefined

  const hasRoom = (): boolean => {
    const ofUsers = inFlight.quick + inFlight.walking
    return ofUsers < mostOfUsers && ofUsers + ofServer < shares.connections
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

  const takeOut = (user: UserStatements, index: number): Waiting => {
    const [taken] = user.waiting.splice(index, 1)
    waiting[taken!.lane]--
    if (user.waiting.length === 0) inLine.delete(user)
    return taken!
  }

  /** The one of the users in line whose turn it is, and which of its statements. */
  const next = (): { user: UserStatements; index: number } | undefined => {
    let found: { user: UserStatements; index: number } | undefined
    for (const user of inLine) {
      if (found !== undefined && user.inFlight >= found.user.inFlight) continue
      const index = firstStartable(user, mayStart)
      if (index === undefined) continue
      found = { user, index }
      if (user.inFlight === 0) break
    }
    return found
  }

  const startNext = (): void => {
    while (inLine.size > 0 && hasRoom()) {
      const found = next()
      if (found === undefined) return
      const { user } = found
      const { lane, start } = takeOut(user, found.index)
      begin(user, lane)
      // The next turn is everybody else's.
      if (inLine.delete(user)) inLine.add(user)
      start()
    }
  }

  const look = (): void => {
    const now = performance.now()
    for (const user of inLine)
      while (user.waiting.length > 0 && user.waiting[0]!.until <= now) {
        const { lane, reject } = takeOut(user, 0)
        reject(rejection(user, lane))
      }
    if (inLine.size > 0) return
    clearInterval(timer)
    timer = undefined
  }

  const rejection = (user: UserStatements, lane: Lane): Error => {
    // As the pool says it: connections cannot be had.
    if (user.connecting > 0) return new Error('timeout exceeded when trying to connect')
    onReject('wait')
    return tookTooLong(user, lane, shares)
  }

  return {
    enterServer: () => void ofServer++,
    leaveServer() {
      ofServer--
      if (inLine.size > 0) startNext()
    },
    createUser: () => ({ inFlight: 0, walks: 0, connecting: 0, waiting: [] }),
    enter(user, lane) {
      if (hasRoom() && mayStart(user, lane)) return void begin(user, lane)
      if (user.waiting.length >= limits.waitingStatements) {
        onReject('queue')
        return Promise.reject(queueIsFull(user))
      }
      return new Promise((start, reject) => {
        user.waiting.push({ lane, start, reject, until: performance.now() + shares.waitMs })
        waiting[lane]++
        inLine.add(user)
        timer ??= setInterval(look, LOOK_EVERY_MS)
      })
    },
    leave(user, lane) {
      inFlight[lane]--
      user.inFlight--
      if (lane === 'walking') user.walks--
      if (inLine.size > 0) startNext()
    },
    inFlight: () => ({ ...inFlight }),
    waiting: () => ({ ...waiting }),
  }
}

/** Each lane is served in order; one does not wait for the other. */
function firstStartable(
  user: UserStatements,
  mayStart: (user: UserStatements, lane: Lane) => boolean,
): number | undefined {
  const first = user.waiting[0]!
  if (mayStart(user, first.lane)) return 0
  // A quick statement that may not start means that none may.
  if (first.lane === 'quick' || !mayStart(user, 'quick')) return undefined
  const index = user.waiting.findIndex(({ lane }) => lane === 'quick')
  return index === -1 ? undefined : index
}

function tookTooLong(user: UserStatements, lane: Lane, { waitMs, perUser, walksPerUser }: Shares): ApiError {
  const waited = `it waited ${waitMs / 1_000} seconds for its turn at the database`
  if (lane === 'walking' && user.walks >= walksPerUser)
    return tooMuch(
      `${waited}: ${user.walks} other queries of this account that read every record are running, and no more may run at once`,
    )
  if (user.inFlight >= perUser)
    return tooMuch(
      `${waited} behind this account's own statements: ${user.inFlight} are running and ${user.waiting.length + 1} are waiting; send fewer requests at once`,
    )
  if (lane === 'walking') return tooMuch(`${waited}: too many queries that read every record are running`)
  return new ApiError('UNAVAILABLE', `${waited}: the database is busy`, { retryAfter: 1 })
}

const queueIsFull = (user: UserStatements): ApiError =>
  tooMuch(
    `${user.waiting.length} statements of this account are waiting for the database, and no more may wait; send fewer requests at once`,
  )

const tooMuch = (message: string): ApiError => new ApiError('RATE_LIMITED', message, { retryAfter: 1 })
