import { createHash } from 'node:crypto'
import type { Database } from '../../db/database.ts'
import { ApiError } from '../../errors.ts'
import { networkOf } from '../failed-signatures.ts'
import { countTries, forgiveTries } from './sign-in.queries.ts'

const WINDOW_MS = 60_000
/** A minute, for each subject. */
const ALLOWED = 10

/** Who tries, or on whom it is tried. */
export const triesOf = {
  address: (ip: string): string => `address ${networkOf(ip)}`,
  /** Not the address itself: people mistype their passwords there. */
  email: (email: string): string => `email ${createHash('sha256').update(email.toLowerCase()).digest('base64')}`,
  account: (accountId: string): string => `account ${accountId}`,
}

/** Counts what could be guesses, in the database, so that it is counted once for all server processes. */
export interface SignInTries {
  /** Counts a try before anything is looked at; throws RATE_LIMITED above so many a minute, ten unless told. */
  count(subjects: readonly string[], allowed?: number): Promise<void>
  /** It was no guess. */
  forgive(subjects: readonly string[]): Promise<void>
}

export function createSignInTries(db: Database, clock: () => Date): SignInTries {
  return {
    async count(subjects, allowed = ALLOWED) {
      const now = clock()
      const counted = await countTries(db, subjects, { now, ends: new Date(now.getTime() + WINDOW_MS) })
      const over = counted.filter(({ tries }) => tries > allowed).map(({ ends }) => ends.getTime() - now.getTime())
      if (over.length === 0) return
      const retryAfter = Math.max(1, Math.ceil(Math.max(...over) / 1_000))
      throw new ApiError('RATE_LIMITED', `too many tries: come back in ${retryAfter} seconds`, { retryAfter })
    },
    forgive: (subjects) => forgiveTries(db, subjects),
  }
}
