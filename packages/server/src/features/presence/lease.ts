import { randomUUID } from 'node:crypto'
import { performance } from 'node:perf_hooks'
import type { FastifyBaseLogger } from 'fastify'
import type { Database } from '../../db/database.ts'
import { insertLease, lockOwnLease, renewLease, shortenLease } from './leases.queries.ts'

/** A process that does not renew its lease for this long loses its holds. */
const LEASE_S = 8
const RENEWED_EVERY_MS = 2_000
/** A renewal later than this means that the database or this process was unresponsive. */
const LATE_MS = 2 * RENEWED_EVERY_MS

/** This process's right to hold connections. If it is not renewed in time, it is lost and a new one is acquired. */
export interface Lease {
  /** The process as the database knows it; undefined before the first lease. Another lease has another id. */
  readonly id: string | undefined
  /** Since when it has been renewed without a delay, by performance.now(). */
  readonly steadySince: number
  /** In a transaction: no process ends the lease before the transaction ends. Throws if the lease is lost. */
  lock(transaction: Database): Promise<string>
  /** Renews it if due. */
  renew(): Promise<void>
  /** Makes it expire in this many seconds. */
  end(seconds: number): Promise<void>
}

export class LeaseLost extends Error {
  constructor() {
    super('the lease of this process has run out')
    this.name = 'LeaseLost'
  }
}

/** `onNew` is called for each new lease: holds under the previous one are not valid under it. */
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
    if (id !== undefined) log.warn('the lease on connections expired and was acquired again')
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
