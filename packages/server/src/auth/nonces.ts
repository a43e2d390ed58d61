import type { FastifyBaseLogger } from 'fastify'
import type { Database } from '../db/database.ts'
import { deleteExpiredNonces, insertNonce } from './auth.queries.ts'

/** How long after its time a signature is accepted, and as much again for the clocks of other server processes. */
const KEPT_MS = 2 * 300_000
const CLEANED_EVERY_MS = 60_000

export interface Nonce {
  key: string
  nonce: string
  /** When the request says it was signed, in seconds since 1970. */
  created: number
}

export interface Nonces {
  /** True the first time, whichever process is asked; false ever after. */
  use(nonce: Nonce): Promise<boolean>
  /** Waits for what it does beside requests. */
  close(): Promise<void>
}

/** Nonces in the database, where every process sees them. Whoever uses one now and then clears away those out of date. */
export function createNonces(db: Database, clock: () => Date, log: FastifyBaseLogger): Nonces {
  let cleanedAt = 0
  let cleaning: Promise<void> = Promise.resolve()

  const cleanNowAndThen = (now: Date): void => {
    if (now.getTime() - cleanedAt < CLEANED_EVERY_MS) return
    cleanedAt = now.getTime()
    cleaning = deleteExpiredNonces(db, now).catch((error: unknown) => {
      log.warn({ err: error }, 'expired nonces were not deleted')
    })
  }

  return {
    async use({ key, nonce, created }) {
      cleanNowAndThen(clock())
      return insertNonce(db, key, nonce, new Date(created * 1_000 + KEPT_MS))
    },
    close: () => cleaning,
  }
}
