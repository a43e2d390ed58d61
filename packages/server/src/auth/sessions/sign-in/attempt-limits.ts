import { createHash } from 'node:crypto'
import type { Database } from '../../../db/database.ts'
import { ApiError, retryIn } from '../../../errors.ts'
import { networkOf } from '../../../lib/client-address.ts'
import { countAttempt, forgiveAttempts } from './sign-in.queries.ts'

const WINDOW_MS = 60_000

/** The source or target of attempts, and the number of attempts allowed in a minute. */
export interface AttemptSubject {
  name: string
  allowed: number
}

export const attemptSubject = {
  address: (ip: string): AttemptSubject => ({ name: `address ${networkOf(ip)}`, allowed: 10 }),
  /** The limit is higher than that of `address`, because a request for options cannot guess credentials. */
  passkeyOptions: (ip: string): AttemptSubject => ({ name: `options address ${networkOf(ip)}`, allowed: 60 }),
  /** A start of single sign-on cannot guess credentials, but it stores a row. */
  ssoStart: (ip: string): AttemptSubject => ({ name: `sso address ${networkOf(ip)}`, allowed: 60 }),
  commandLineStart: (ip: string): AttemptSubject => ({ name: `cli address ${networkOf(ip)}`, allowed: 60 }),
  /** Limits invalid logout tokens. Valid tokens do not count. */
  logoutToken: (ip: string): AttemptSubject => ({ name: `logout address ${networkOf(ip)}`, allowed: 60 }),
  /**
   * The name is a hash, because people sometimes type their password into the email field. The counts of an email
   * address and of a network address begin their minutes at different times. One minute of the first count can
   * therefore overlap two minutes of the second. This limit is twice the limit of `address`, so that a single network
   * address cannot lock out a user.
   */
  email: (email: string): AttemptSubject => {
    const hash = createHash('sha256').update(email.toLowerCase()).digest('base64')
    return { name: `email ${hash}`, allowed: 20 }
  },
  /** The name begins with `account` as in earlier releases, so that servers of different releases share the count. */
  person: (personId: string): AttemptSubject => ({ name: `account ${personId}`, allowed: 10 }),
}

/** Counts attempts in the database, because all server processes must share the counts. */
export interface SignInAttempts {
  /**
   * Counts an attempt against one subject after another, before credentials are checked. Throws RATE_LIMITED at the
   * first subject over its limit and does not count the rest. Callers pass the source before the target, so that an
   * attempt that is rejected for its source does not count against its target.
   */
  count(subjects: readonly AttemptSubject[]): Promise<void>
  forgive(subjects: readonly AttemptSubject[]): Promise<void>
}

export function createSignInAttempts(db: Database, clock: () => Date): SignInAttempts {
  const countOne = async ({ name, allowed }: AttemptSubject): Promise<void> => {
    const now = clock()
    const { tries, ends } = await countAttempt(db, name, { now, ends: new Date(now.getTime() + WINDOW_MS) })
    if (tries <= allowed) return
    const retryAfter = Math.max(1, Math.ceil((ends.getTime() - now.getTime()) / 1_000))
    const message = `too many attempts from this IP address or for this user: ${retryIn(retryAfter)}`
    throw new ApiError('RATE_LIMITED', message, { retryAfter })
  }
  return {
    async count(subjects) {
      for (const subject of subjects) await countOne(subject)
    },
    async forgive(subjects) {
      const names = subjects.map(({ name }) => name)
      await forgiveAttempts(db, names)
    },
  }
}
