import { randomUUID } from 'node:crypto'
import { performance } from 'node:perf_hooks'
import type { FastifyBaseLogger } from 'fastify'
import type { Database } from '../../db/database.ts'
import { insertLease, lockOwnLease, renewLease, shortenLease } from './leases.queries.ts'

/** A process that is not heard of for so long holds nothing any more. */
const LEASE_S = 8
const RENEWED_EVERY_MS = 2_000
/** A renewal later than this tells that the database or this process was away for a while. */
const LATE_MS = 2 * RENEWED_EVERY_MS

/** This process's right to hold connections. It is lost when it could not be renewed in time, and another one taken. */
export interface Lease {
  /** The process as the database knows it; undefined before the first lease. Another lease has another id. */
  readonly id: string | undefined
  /** Since when it has been renewed without a delay, by performance.now(). */
  readonly steadySince: number
  /** In a transaction: nobody ends the lease before that does. Throws when it is lost. */
  lock(transaction: Database): Promise<string>
  /** Renews it now where it is due. */
  renew(): Promise<void>
  /** Lets it run out in so many seconds. */
  end(seconds: number): Promise<void>
}

export class LeaseLost extends Error {
  constructor() {
    super('the lease of this process has run out')
    this.name = 'LeaseLost'
  }
}

/** `onNew` is called for each lease taken: what was held under the one before is not held under this one. */
export function createLease(db: Database, log: FastifyBaseLogger, onNew: () => void): Lease {
  let id: string | undefined
  let renewedAt = Number.NEGATIVE_INFINITY
  let steadySince = performance.now()
  let isLost = true
  let renewing: Promise<void> | undefined

  const take = async (): Promise<void> => {
    const next = randomUUID()
    const asked = performance.now()
    await insertLease(db, next, LEASE_S)
    if (id !== undefined) log.warn('the lease on connections ran out and was taken anew')
    id = next
    isLost = false
    renewedAt = asked
    steadySince = asked
    onNew()
  }

  const renew = async (): Promise<void> => {
    const asked = performance.now()
    if (id !== undefined && !isLost) {
      if (asked - renewedAt < RENEWED_EVERY_MS) return
      if (asked - renewedAt > LATE_MS) steadySince = asked
      if (await renewLease(db, id, LEASE_S)) {
        renewedAt = asked
        return
      }
    }
    isLost = true
    await take()
  }

  return {
    get id() {
      return id
    },
    get steadySince() {
      return steadySince
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
