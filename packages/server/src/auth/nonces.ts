import type { FastifyBaseLogger } from 'fastify'
import type { Database } from '../db/database.ts'
import { deleteExpiredNonces, insertNonce } from './auth.queries.ts'

/** The server keeps nonces twice as long as a signature is valid, because the clocks of server processes may differ. */
const RETENTION_MS = 2 * 300_000
const CLEANED_EVERY_MS = 60_000

export interface Nonce {
  key: string
  nonce: string
  /** When the client signed the request, according to the client, in seconds since 1970. */
  created: number
}

export interface Nonces {
  /** Returns true only for the first use of a nonce with its key, across all processes. */
  use(nonce: Nonce): Promise<boolean>
  close(): Promise<void>
}

/** Stores used nonces in the database. Using a nonce also deletes expired nonces, at most once a minute. */
export function createNonces(db: Database, clock: () => Date, log: FastifyBaseLogger): Nonces {
  let cleanedAt = 0
  let cleaning: Promise<void> = Promise.resolve()

  const deleteExpiredOccasionally = (now: Date): void => {
    if (now.getTime() - cleanedAt < CLEANED_EVERY_MS) return
    cleanedAt = now.getTime()
    cleaning = deleteExpiredNonces(db, now).catch((error: unknown) => {
      log.warn({ err: error }, 'cannot delete expired nonces')
    })
  }

  return {
    async use({ key, nonce, created }) {
      deleteExpiredOccasionally(clock())
      return insertNonce(db, key, nonce, new Date(created * 1_000 + RETENTION_MS))
    },
    close: () => cleaning,
  }
}
