import type { FastifyBaseLogger } from 'fastify'
import { batched } from '../lib/batched.ts'
import type { Database } from './database.ts'
import { catchesUp, type OpenPool, openReplica, type Replica, readWritten } from './replica.ts'

/** Where a query reads: from the replica, or from the primary since the replica lags or is away. */
export type ReadPlace = 'replica' | 'lagging' | 'away'

export interface ReadSide {
  /** The replica where it has everything that was committed before the call; undefined: the primary. */
  choose(): Promise<Database | undefined>
  /** A query failed on this replica and is asked of the primary. */
  failed(db: Database, error: unknown): void
  close(): Promise<void>
}

export interface ReadSideOptions {
  primary: Database
  openPool: OpenPool
  log: FastifyBaseLogger
  /** Told of every choice. */
  onChoice?: (place: ReadPlace) => void
}

/** How long a query waits for what the replica has not replayed yet. */
const WAIT_MS = 100
/** While the primary is read, it is seen this often whether the replica is good again; it has as long to answer. */
const TRY_AGAIN_MS = 1_000

/**
 * Reads from a replica what was committed on the primary, whoever committed it: before each choice the primary is asked how far
 * its log is written, and the replica must have replayed as much. Once it has not, nobody waits for it until it has caught up.
 */
export function createReadSide({ primary, openPool, log, onChoice = () => {} }: ReadSideOptions): ReadSide {
  const written = batched(async () => new Map([['written', await readWritten(primary)]]))
  let replica: Replica | undefined
  let place: ReadPlace = 'away'
  let told: string | undefined
  let trying: Promise<void> | undefined
  const closing = new Set<Promise<void>>()

  const switchTo = (next: ReadPlace, reason = 'the replica is good'): void => {
    place = next
    if (told === reason) return
    told = reason
    if (next === 'replica') log.info({ reason }, 'lists are read from the replica')
    else log.warn({ reason }, 'lists are read from the primary')
  }

  const giveUp = (error: unknown): void => {
    switchTo('away', `the replica cannot be read: ${(error as Error).message}`)
    const closed = replica?.close().catch(() => {})
    replica = undefined
    if (closed !== undefined) closing.add(closed.finally(() => closing.delete(closed)))
  }

  /** Undefined where the primary does not say how far it is, as it will tell whoever asks it for more. */
  const look = async (at: Replica, withinMs: number): Promise<boolean | 'silent' | undefined> => {
    const to = await written('written').catch(() => undefined)
    try {
      return to === undefined ? undefined : await catchesUp(at, to, withinMs)
    } catch (error) {
      if (at === replica) giveUp(error)
      return undefined
    }
  }

  const tryAgain = async (): Promise<void> => {
    try {
      replica ??= await openReplica(primary, openPool)
    } catch (error) {
      return giveUp(error)
    }
    const found = await look(replica, TRY_AGAIN_MS)
    if (found === 'silent') giveUp(new Error('it does not answer'))
    else if (found === true) switchTo('replica')
    else if (found === false) switchTo('lagging', 'the replica lags')
  }
  const tryUnlessGood = (): void => {
    if (place === 'replica') return
    trying ??= tryAgain().finally(() => (trying = undefined))
  }
  tryUnlessGood()
  const timer = setInterval(tryUnlessGood, TRY_AGAIN_MS).unref()

  return {
    async choose() {
      const at = place === 'replica' ? replica : undefined
      const found = at && (await look(at, WAIT_MS))
      if (found === false || found === 'silent') switchTo('lagging', 'the replica lags')
      const isGood = found === true
      onChoice(isGood ? 'replica' : place === 'replica' ? 'lagging' : place)
      return isGood ? at?.db : undefined
    },
    failed(db, error) {
      if (db === replica?.db) giveUp(error)
    },
    async close() {
      clearInterval(timer)
      await trying
      await replica?.close()
      await Promise.all(closing)
    },
  }
}
