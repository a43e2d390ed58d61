import { randomUUID } from 'node:crypto'
import { performance } from 'node:perf_hooks'
import type { FastifyBaseLogger } from 'fastify'
import type { Database } from '../../db/database.ts'
import { insertLease, lockOwnLease, renewLease, shortenLease } from './leases.queries.ts'

/** A process that does not renew its lease for this many seconds loses its holds. */
const LEASE_S = 8
const RENEW_INTERVAL_MS = 2_000
/** A renewal later than this means that the database or this process was unresponsive. */
const LATE_MS = 2 * RENEW_INTERVAL_MS

/** This process's right to hold connections. A lease that is not renewed in time is lost, and a new one is acquired. */
export interface Lease {
  /** Id of the process in the database; undefined before the first lease. Each lease has a new id. */
  readonly id: string | undefined
  /** Since when the lease has been renewed without delay, by performance.now(). */
  readonly stableSince: number
  /** Prevents other processes from ending the lease before the transaction ends. Throws if the lease is lost. */
  lock(transaction: Database): Promise<string>
  /** Renews the lease if renewal is due. */
  renew(): Promise<void>
  /** Makes the lease expire in this many seconds. */
  end(seconds: number): Promise<void>
}

export class LeaseLost extends Error {
  constructor() {
    super('the lease of this process has expired')
    this.name = 'LeaseLost'
  }
}

/** `onNew` is called for each new lease. Holds under the previous lease are not valid under the new one. */
export function createLease(db: Database, log: FastifyBaseLogger, onNew: () => void): Lease {
  let id: string | undefined
  let renewedAt = Number.NEGATIVE_INFINITY
  let stableSince = performance.now()
  let isLost = true
  let renewing: Promise<void> | undefined

  const acquire = async (): Promise<void> => {
    const next = randomUUID()
    const startedAt = performance.now()
    await insertLease(db, next, LEASE_S)
    if (id !== undefined) log.warn('the lease on connections expired and was acquired again')
    id = next
    isLost = false
    renewedAt = startedAt
    stableSince = startedAt
    onNew()
  }

  const renew = async (): Promise<void> => {
    const startedAt = performance.now()
    if (id !== undefined && !isLost) {
      if (startedAt - renewedAt < RENEW_INTERVAL_MS) return
      if (startedAt - renewedAt > LATE_MS) stableSince = startedAt
      if (await renewLease(db, id, LEASE_S)) {
        renewedAt = startedAt
        return
      }
    }
    isLost = true
    await acquire()
  }

  return {
    get id() {
      return id
    },
    get stableSince() {
      return stableSince
    },
    async lock(transaction) {
      if (id === undefined || isLost || !(await lockOwnLease(transaction, id))) {
        isLost = true
        throw new LeaseLost()
      }
      return id
    },
    renew() {
      renewing ??= renew().finally(() => {
        renewing = undefined
      })
      return renewing
    },
    async end(seconds) {
      if (id !== undefined) await shortenLease(db, id, seconds)
    },
  }
}
