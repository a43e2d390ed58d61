import { randomUUID } from 'node:crypto'
import { performance } from 'node:perf_hooks'
import type { FastifyBaseLogger } from 'fastify'
import type { Database } from '../../db/database.ts'
import { version } from '../../version.ts'
import { insertLease, lockOwnLease, renewLease, shortenLease } from './leases.queries.ts'

/** The number of seconds after which a process that does not renew its lease loses its holds on devices. */
const LEASE_S = 8
const RENEW_INTERVAL_MS = 2_000
/** A renewal after a longer interval is late: the database or this process must have been unresponsive. */
const LATE_MS = 2 * RENEW_INTERVAL_MS

/** The process's holds on devices are valid until its lease expires. An expired lease cannot be renewed. */
export interface Lease {
  /** The ID of the latest lease, even if that lease has expired. Undefined before the first lease. */
  readonly id: string | undefined
  /** The `performance.now()` time of the lease's last late renewal or, if no renewal was late, of its acquisition. */
  readonly stableSince: number
  /**
   * Prevents other processes from ending the lease before the transaction ends, and returns the lease's ID. Throws
   * LeaseLost if the lease has expired or no lease has been acquired yet.
   */
  lock(transaction: Database): Promise<string>
  /**
   * Acquires a lease if this process has no valid lease. Otherwise, renews the lease if the last renewal is at least
   * two seconds old.
   */
  renew(): Promise<void>
  /** Makes the lease expire after at most this many seconds. */
  end(seconds: number): Promise<void>
}

export class LeaseLost extends Error {
  constructor() {
    super('this process has no valid lease')
    this.name = 'LeaseLost'
  }
}

/** Calls `onNew` after each new lease is acquired, because holds under an earlier lease are no longer valid. */
export function createLease(db: Database, log: FastifyBaseLogger, onNew: () => void): Lease {
  let id: string | undefined
  let renewedAt = Number.NEGATIVE_INFINITY
  let stableSince = performance.now()
  let isLost = true
  let renewing: Promise<void> | undefined

  const acquire = async (): Promise<void> => {
    const next = randomUUID()
    const startedAt = performance.now()
    await insertLease(db, next, { seconds: LEASE_S, release: version })
    if (id !== undefined) log.warn('the connection lease expired; acquired a new lease')
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
      const own = id
      if (own === undefined || isLost || !(await lockOwnLease(transaction, own))) {
        // A new lease may have been acquired in the meantime.
        if (own === id) isLost = true
        throw new LeaseLost()
      }
      return own
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
