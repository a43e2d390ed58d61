import { ApiError } from '../../../errors.ts'
import { networkOf } from '../../../lib/client-address.ts'
import type { AuthRequest } from '../auth-call.ts'
import { agentOf } from '../forward.ts'
import type { Session } from '../sessions.ts'
import { countTry } from '../sign-in/sign-in.queries.ts'
import type { TriesSubject } from '../sign-in/sign-in-tries.ts'
import type { AttemptedUser } from './attempted-user.queries.ts'

const WINDOW_MS = 60_000

/** Reasons for a failed sign-in: wrong credentials, or the right ones of a disabled user. */
const failures: readonly unknown[] = ['wrong-password', 'wrong-code', 'passkey-refused', 'user-disabled']

/** An attempt to authenticate. */
export interface Attempt {
  /** The kind of credentials, such as `password`. */
  method: string
  /** The user whom the attempt was aimed at; undefined if no user has what was named. */
  findUser: () => Promise<AttemptedUser | undefined>
}

/**
 * Work that a guess could be behind: counted against each subject in turn, and forgiven if it succeeds. A failure is recorded with the
 * user whom the attempt was aimed at.
 */
export async function asTry<Result>(
  call: AuthRequest,
  { subjects, attempt }: { subjects: readonly TriesSubject[]; attempt: Attempt },
  work: () => Promise<Result>,
): Promise<Result> {
  await call.tries.count(subjects)
  const result = await work().catch((error: unknown) => {
    recordFailure(call, attempt, error)
    throw error
  })
  await call.tries.forgive(subjects)
  return result
}

/** An attempt of a signed-in user to show again who they are. */
export const ownAttempt = ({ accountId, email }: Session, method: string): Attempt => ({
  method,
  findUser: async () => ({ id: accountId, email }),
})

/**
 * Records a failed attempt with the user it was aimed at. The response does not wait for it: if it took longer for an e-mail
 * address that belongs to a user, it would reveal which ones do. An attempt at no user is only logged, by the route.
 *
 * Attempts cannot flood the event log: of one user's attempts from one network address in a minute, the first, second, fourth, eighth,
 * and so on are recorded, each with the count so far.
 */
function recordFailure(call: AuthRequest, { method, findUser }: Attempt, error: unknown): void {
  const reason = error instanceof ApiError ? error.details.reason : undefined
  if (!failures.includes(reason)) return
  const { db, clock, request, addressOf, record, onRecorded, inBackground } = call
  const [address, agent] = [addressOf(request.raw), agentOf(request)]
  const write = async (): Promise<void> => {
    const user = await findUser()
    if (user === undefined) return
    const now = clock()
    const subject = `failed ${user.id} ${networkOf(address)}`
    const { tries: count } = await countTry(db, subject, { now, ends: new Date(now.getTime() + WINDOW_MS) })
    if (!isPowerOfTwo(count)) return
    const data = { address, agent, method, reason, count }
    await record(db, { type: 'AUTH_FAIL', accountId: user.id, email: user.email, data })
    onRecorded()
  }
  inBackground(write())
}

const isPowerOfTwo = (count: number): boolean => (count & (count - 1)) === 0
