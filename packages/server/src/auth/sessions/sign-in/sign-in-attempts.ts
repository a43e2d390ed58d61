import { createHash } from 'node:crypto'
import type { Database } from '../../../db/database.ts'
import { ApiError } from '../../../errors.ts'
import { networkOf } from '../../../lib/client-address.ts'
import { countAttempt, forgiveAttempts } from './sign-in.queries.ts'

const WINDOW_MS = 60_000

/** The source or the target of attempts, and how many are allowed in a minute. */
export interface AttemptSubject {
  name: string
  allowed: number
}

export const attemptSubject = {
  address: (ip: string): AttemptSubject => ({ name: `address ${networkOf(ip)}`, allowed: 10 }),
  /** Options are requested whenever a sign-in page opens. */
  passkeyOptions: (ip: string): AttemptSubject => ({ name: `options address ${networkOf(ip)}`, allowed: 60 }),
  /**
   * A hash, because people mistype their passwords in the field for the e-mail address. The limit is twice that of a network
   * address, because two of its minutes can overlap one of these: a single network address cannot lock out a user.
   */
  email: (email: string): AttemptSubject => {
    const hash = createHash('sha256').update(email.toLowerCase()).digest('base64')
    return { name: `email ${hash}`, allowed: 20 }
  },
  account: (accountId: string): AttemptSubject => ({ name: `account ${accountId}`, allowed: 10 }),
}

/** Counts possible guesses in the database, so that all server processes share the count. */
export interface SignInAttempts {
  /**
   * Counts an attempt against one subject after the other, before credentials are checked. Throws RATE_LIMITED at the first
   * subject over its limit and counts no further: an attempt that is rejected for its source does not count against its target.
   */
  count(subjects: readonly AttemptSubject[]): Promise<void>
  /** Undoes the count of a successful attempt. */
  forgive(subjects: readonly AttemptSubject[]): Promise<void>
}

export function createSignInAttempts(db: Database, clock: () => Date): SignInAttempts {
  const countOne = async ({ name, allowed }: AttemptSubject): Promise<void> => {
    const now = clock()
    const { tries, ends } = await countAttempt(db, name, { now, ends: new Date(now.getTime() + WINDOW_MS) })
    if (tries <= allowed) return
    const retryAfter = Math.max(1, Math.ceil((ends.getTime() - now.getTime()) / 1_000))
    throw new ApiError('RATE_LIMITED', `too many attempts: retry in ${retryAfter} seconds`, { retryAfter })
  }
  return {
    async count(subjects) {
      for (const subject of subjects) await countOne(subject)
    },
    forgive: (subjects) =>
      forgiveAttempts(
        db,
        subjects.map(({ name }) => name),
      ),
  }
}
