import { ApiError } from '../../../errors.ts'
import { networkOf } from '../../../lib/client-address.ts'
import type { AuthRequest } from '../auth-call.ts'
import { agentOf } from '../forward.ts'
import type { Session } from '../sessions.ts'
import type { AttemptSubject } from '../sign-in/attempt-limits.ts'
import { countAttempt } from '../sign-in/sign-in.queries.ts'
import type { AttemptedUser } from './attempted-user.queries.ts'

const WINDOW_MS = 60_000

const failures: readonly unknown[] = [
  ...['wrong-password', 'wrong-code', 'passkey-refused', 'user-disabled'],
  ...['sso-disabled', 'sso-link-required', 'sso-not-invited', 'sso-use-invitation'],
]

type Attempting = Pick<
  AuthRequest,
  'attempts' | 'db' | 'clock' | 'request' | 'addressOf' | 'record' | 'onRecorded' | 'inBackground'
>

export interface Attempt {
  /** The kind of credentials, such as `password`. */
  method: string
  /** Resolves to undefined if no user has the email address or credential. */
  findUser: () => Promise<AttemptedUser | undefined>
}

/**
 * Counts the attempt against each subject. Throws RATE_LIMITED if a subject is over its limit. Undoes the counts if the
 * attempt succeeds. If the attempt fails, calls `recordFailure` and throws the error of `work`.
 */
export async function runAttempt<Result>(
  call: Attempting,
  { subjects, attempt }: { subjects: readonly AttemptSubject[]; attempt: Attempt },
  work: () => Promise<Result>,
): Promise<Result> {
  await call.attempts.count(subjects)
  const result = await work().catch((error: unknown) => {
    recordFailure(call, attempt, error)
    throw error
  })
  await call.attempts.forgive(subjects)
  return result
}

export const ownAttempt = ({ personId, email }: Session, method: string): Attempt => ({
  method,
  findUser: async () => ({ id: personId, email }),
})

/**
 * Records a failed attempt in the background, because a longer response time would reveal that the user exists. Ignores
 * errors whose reason is not in `failures`, and attempts that target no existing user. Records only the first, second,
 * fourth, eighth, and so on of a user's failures from one network in a minute.
 */
function recordFailure(call: Attempting, { method, findUser }: Attempt, error: unknown): void {
  const reason = error instanceof ApiError ? error.details.reason : undefined
  if (!failures.includes(reason)) return
  const { db, clock, request, addressOf, record, onRecorded, inBackground } = call
  const [address, agent] = [addressOf(request.raw), agentOf(request)]
  const write = async (): Promise<void> => {
    const user = await findUser()
    if (user === undefined) return
    const now = clock()
    const subject = `failed ${user.id} ${networkOf(address)}`
    const { tries: count } = await countAttempt(db, subject, { now, ends: new Date(now.getTime() + WINDOW_MS) })
    if (!isPowerOfTwo(count)) return
    const data = { address, agent, method, reason, count }
    await record(db, { type: 'AUTH_FAIL', personId: user.id, email: user.email, data })
    onRecorded()
  }
  inBackground(write())
}

const isPowerOfTwo = (count: number): boolean => (count & (count - 1)) === 0
