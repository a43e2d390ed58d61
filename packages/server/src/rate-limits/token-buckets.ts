import { performance } from 'node:perf_hooks'
import { boundedMap } from '../lib/bounded-map.ts'

export interface Policy {
  readonly name: string
  readonly capacity: number
  readonly perSecond: number
}

/** A set of token buckets, one for each subject. All buckets have the same policy. */
export interface Budget {
  readonly policy: Policy
  readonly policyField: string
  /**
   * Takes the points and returns 0. If too few points are available, takes none and returns the number of seconds until
   * enough are available.
   */
  take(subject: string, points: number): number
  /** Adds points, up to the capacity. A negative number takes points, even if the balance becomes negative. */
  give(subject: string, points: number): void
  left(subject: string): number
  /** Returns the whole seconds until a negative balance reaches zero, or 0 if the balance is not negative. */
  due(subject: string): number
  /**
   * Returns the net spending since the last report, for at most `subjects` subjects. Later calls return the remaining
   * subjects.
   */
  report(subjects: number): [subject: string, points: number][]
  /** Subtracts the points that a subject has spent in another process. A negative number adds points. */
  applyRemoteSpending(subject: string, points: number): void
}

export interface BudgetOptions {
  /** Returns a monotonic time in milliseconds. */
  now?: (() => number) | undefined
  isReported?: boolean | undefined
  /** Called with the name of the policy when a subject has too few points. */
  onRejection?: ((policy: string) => void) | undefined
}

interface Bucket {
  left: number
  filledAt: number
}

/** The maximum number of subjects in memory. An evicted subject starts again with a full bucket. */
const SUBJECTS = 50_000
/** The tolerance for rounding errors, which occur because buckets refill by fractions of a point. */
const ROUNDING = 1e-3

export function createBudget(
  policy: Policy,
  { now = () => performance.now(), isReported = false, onRejection }: BudgetOptions = {},
): Budget {
  const { capacity, perSecond } = policy
  const buckets = boundedMap<string, Bucket>(SUBJECTS)
  const unreported = new Map<string, number>()

  const bucketOf = (subject: string): Bucket => {
    const at = now()
    let bucket = buckets.get(subject)
    if (bucket === undefined) {
      bucket = { left: capacity, filledAt: at }
      buckets.set(subject, bucket)
    }
    bucket.left = Math.min(capacity, bucket.left + ((at - bucket.filledAt) / 1_000) * perSecond)
    bucket.filledAt = at
    return bucket
  }

  const note = (subject: string, points: number): void => {
    if (!isReported) return
    const before = unreported.get(subject)
    if (before !== undefined || unreported.size < SUBJECTS) unreported.set(subject, (before ?? 0) + points)
  }

  return {
    policy,
    policyField: `"${policy.name}";q=${capacity};w=${Math.ceil(capacity / perSecond)}`,
    take(subject, points) {
      const bucket = bucketOf(subject)
      const missing = points - bucket.left
      if (missing > ROUNDING) {
        onRejection?.(policy.name)
        return missing / perSecond
      }
      bucket.left -= points
      note(subject, points)
      return 0
    },
    give(subject, points) {
      const bucket = bucketOf(subject)
      bucket.left = Math.min(capacity, bucket.left + points)
      note(subject, -points)
    },
    due: (subject) => Math.ceil(Math.max(0, -bucketOf(subject).left - ROUNDING) / perSecond),
    left: (subject) => Math.max(0, Math.floor(bucketOf(subject).left + ROUNDING)),
    report(subjects) {
      const reported = Array.from(unreported).slice(0, subjects)
      for (const [subject] of reported) unreported.delete(subject)
      return reported.filter(([, points]) => points !== 0)
    },
    applyRemoteSpending(subject, points) {
      const bucket = bucketOf(subject)
      bucket.left = Math.min(capacity, bucket.left - points)
    },
  }
}
