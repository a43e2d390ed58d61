import type { FastifyBaseLogger } from 'fastify'
import { batched } from '../../lib/batched.ts'
import type { Database } from '../database.ts'
import { type OpenPool, openReplica, type Replica } from './open-replica.ts'
import { reachesPosition, readWritten } from './wait-for-replica.ts'

/**
 * Where a query reads. `replica` means the replica or a worker. `lagging` means the primary, because the replica is
 * lagging. `away` means the primary or the coordinator, because the replica or worker is unavailable.
 */
export type ReadPlace = 'replica' | 'lagging' | 'away'

export interface WriteConnections {
  worker: Database
  /** The coordinator, through connections that are used only to assign event IDs. */
  eventIds: Database
}

export interface ReadRouter {
  /**
   * Returns the replica, or the worker that stores the account. Returns undefined if the replica does not include
   * everything committed before the call, or if the replica or worker is unavailable. The caller then uses the primary
   * or the coordinator.
   */
  choose(accountId: string): Promise<Database | undefined>
  /**
   * Returns the worker that stores the account, which can also run the account's transactions. Returns undefined if the
   * worker is unavailable. A replica's router does not have this function.
   */
  chooseWriter?(accountId: string): Promise<WriteConnections | undefined>
  /**
   * Reports that the chosen database failed. If a query failed, the caller must repeat the query on the primary or the
   * coordinator.
   */
  failed(db: Database, error: unknown): void
  close(): Promise<void>
}

export interface ReadRouterOptions {
  primary: Database
  openPool: OpenPool
  log: FastifyBaseLogger
  onChoice?: (place: ReadPlace) => void
}

/** The maximum time, in milliseconds, that a query waits for the replica to catch up. */
const WAIT_MS = 100
/** The interval between checks of an unused replica, and the time limit of each check, in milliseconds. */
const RETRY_MS = 1_000

/**
 * A query on the replica sees every earlier commit. The router chooses the replica only if the replica has replayed WAL
 * up to the primary's position.
 */
export function createReadRouter({ primary, openPool, log, onChoice = () => {} }: ReadRouterOptions): ReadRouter {
  const written = batched(async () => new Map([['written', await readWritten(primary)]]))
  let replica: Replica | undefined
  let place: ReadPlace = 'away'
  let loggedReason: string | undefined
  let retrying: Promise<void> | undefined
  const closing = new Set<Promise<void>>()

  const switchTo = (next: ReadPlace, reason = 'the standby is up to date'): void => {
    place = next
    if (loggedReason === reason) return
    loggedReason = reason
    if (next === 'replica') log.info({ reason }, 'lists are read from the standby')
    else log.warn({ reason }, 'lists are read from the primary')
  }

  const closeReplica = (error: unknown): void => {
    switchTo('away', `DATABASE_READ_URL cannot be used: ${(error as Error).message}`)
    const closed = replica?.close().catch(() => {})
    replica = undefined
    if (closed === undefined) return
    closing.add(closed)
    void closed.then(() => closing.delete(closed))
  }

  /**
   * Returns whether the replica reaches the primary's position in time. Returns `silent` if the replica does not
   * respond in time, and undefined if the primary or the replica fails.
   */
  const check = async (checked: Replica, withinMs: number): Promise<boolean | 'silent' | undefined> => {
    const position = await written('written').catch(() => undefined)
    try {
      return position === undefined ? undefined : await reachesPosition(checked, position, withinMs)
    } catch (error) {
      if (checked === replica) closeReplica(error)
      return undefined
    }
  }

  const retry = async (): Promise<void> => {
    try {
      replica ??= await openReplica(primary, openPool)
    } catch (error) {
      return closeReplica(error)
    }
    const checked = replica
    const isCurrent = await check(checked, RETRY_MS)
    // A failed query may have closed the replica in the meantime. The next retry then opens it again.
    if (checked !== replica) return
    if (isCurrent === 'silent') closeReplica(new Error('the server is not responding'))
    else if (isCurrent === true) switchTo('replica')
    else if (isCurrent === false) switchTo('lagging', 'the standby lags behind the primary or is slow to respond')
  }
  const retryIfUnused = (): void => {
    if (place === 'replica') return
    retrying ??= retry().finally(() => (retrying = undefined))
  }
  retryIfUnused()
  const timer = setInterval(retryIfUnused, RETRY_MS).unref()

  return {
    async choose() {
      const candidate = place === 'replica' ? replica : undefined
      const isCurrent = candidate && (await check(candidate, WAIT_MS))
      if (isCurrent === false || isCurrent === 'silent')
        switchTo('lagging', 'the standby lags behind the primary or is slow to respond')
      const isChosen = isCurrent === true
      onChoice(isChosen ? 'replica' : place === 'replica' ? 'lagging' : place)
      return isChosen ? candidate?.db : undefined
    },
    failed(db, error) {
      if (db === replica?.db) closeReplica(error)
    },
    async close() {
      clearInterval(timer)
      await retrying
      await replica?.close()
      await Promise.all(closing)
    },
  }
}
