import { createHash } from 'node:crypto'
import type { Database } from '../../db/database.ts'
import { ApiError } from '../../errors.ts'
import { networkOf } from '../../lib/client-address.ts'
import { countTry, forgiveTries } from './sign-in.queries.ts'

const WINDOW_MS = 60_000

/** Who tries, or on whom it is tried, and how often a minute that may be. */
export interface TriesSubject {
  name: string
  allowed: number
}

export const triesOf = {
  address: (ip: string): TriesSubject => ({ name: `address ${networkOf(ip)}`, allowed: 10 }),
  /** Asked for whenever a sign-in page opens. */
  passkeyOptions: (ip: string): TriesSubject => ({ name: `options address ${networkOf(ip)}`, allowed: 60 }),
  /**
   * Not the address itself: people mistype their passwords there. Twice what a network address may, two of whose minutes can fall
   * into one of these: it takes more than one of them to keep somebody out.
   */
  email: (email: string): TriesSubject => {
    const hash = createHash('sha256').update(email.toLowerCase()).digest('base64')
    return { name: `email ${hash}`, allowed: 20 }
  },
  account: (accountId: string): TriesSubject => ({ name: `account ${accountId}`, allowed: 10 }),
}

/** Counts what could be guesses, in the database, so that it is counted once for all server processes. */
export interface SignInTries {
  /**
   * Counts a try before anything is looked at, against one subject after the other. Throws RATE_LIMITED at the first that has had too
   * many, and then counts no further: what is refused for who tries it does not count against whom it is tried on.
   */
  count(subjects: readonly TriesSubject[]): Promise<void>
  /** It was no guess. */
  forgive(subjects: readonly TriesSubject[]): Promise<void>
}

export function createSignInTries(db: Database, clock: () => Date): SignInTries {
  const countOne = async ({ name, allowed }: TriesSubject): Promise<void> => {
    const now = clock()
    const { tries, ends } = await countTry(db, name, { now, ends: new Date(now.getTime() + WINDOW_MS) })
    if (tries <= allowed) return
    const retryAfter = Math.max(1, Math.ceil((ends.getTime() - now.getTime()) / 1_000))
    throw new ApiError('RATE_LIMITED', `too many tries: come back in ${retryAfter} seconds`, { retryAfter })
  }
  return {
    async count(subjects) {
      for (const subject of subjects) await countOne(subject)
    },
    forgive: (subjects) =>
      forgiveTries(
        db,
        subjects.map(({ name }) => name),
      ),
  }
}
