import { performance } from 'node:perf_hooks'
import { boundedMap } from '../lib/bounded-map.ts'

export interface Policy {
  /** What it is called in `RateLimit-Policy`. */
  readonly name: string
  /** Points that may be spent at once. */
  readonly most: number
  /** Points that come back each second. */
  readonly perSecond: number
}

/** What each of many may spend under one policy. */
export interface Budget {
  readonly policy: Policy
  /** The field `RateLimit-Policy`. */
  readonly policyField: string
  /** Takes points, and answers 0; or takes nothing, and answers the seconds after which they will be there. */
  take(subject: string, points: number): number
  /** Gives points back. Fewer than none: takes them, though there be none left. */
  give(subject: string, points: number): void
  left(subject: string): number
  /** Whole seconds until what was taken beyond all there was has come back. */
  due(subject: string): number
  /** What was taken, less what was given back, since this was asked last: of so many subjects, the others come next time. */
  report(subjects: number): [subject: string, points: number][]
  /** Takes what another process let through. */
  takenElsewhere(subject: string, points: number): void
}

export interface BudgetOptions {
  /** Milliseconds that never run backwards. */
  now?: (() => number) | undefined
  /** Whether it is kept in mind what to report. */
  isReported?: boolean | undefined
  /** Told when points were not there. */
  onRefusal?: ((policy: string) => void) | undefined
}

interface Bucket {
  left: number
  filledAt: number
}

/** One that is pushed out is full when it comes again. */
const SUBJECTS = 50_000
/** Points by which sums of what came back in fractions of a second may be off. */
const ROUNDING = 1e-3

export function createBudget(
  policy: Policy,
  { now = () => performance.now(), isReported = false, onRefusal }: BudgetOptions = {},
): Budget {
  const { most, perSecond } = policy
  const buckets = boundedMap<string, Bucket>(SUBJECTS)
  const unreported = new Map<string, number>()

  const bucketOf = (subject: string): Bucket => {
    const at = now()
    let bucket = buckets.get(subject)
    if (bucket === undefined) {
      bucket = { left: most, filledAt: at }
      buckets.set(subject, bucket)
    }
    bucket.left = Math.min(most, bucket.left + ((at - bucket.filledAt) / 1_000) * perSecond)
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
    policyField: `"${policy.name}";q=${most};w=${Math.ceil(most / perSecond)}`,
    take(subject, points) {
      const bucket = bucketOf(subject)
      const missing = points - bucket.left
      if (missing > ROUNDING) {
        onRefusal?.(policy.name)
        return missing / perSecond
      }
      bucket.left -= points
      note(subject, points)
      return 0
    },
    give(subject, points) {
      const bucket = bucketOf(subject)
      bucket.left = Math.min(most, bucket.left + points)
      note(subject, -points)
    },
    due: (subject) => Math.ceil(Math.max(0, -bucketOf(subject).left - ROUNDING) / perSecond),
    left: (subject) => Math.max(0, Math.floor(bucketOf(subject).left + ROUNDING)),
    report(subjects) {
      const reported = Array.from(unreported).slice(0, subjects)
      for (const [subject] of reported) unreported.delete(subject)
      return reported.filter(([, points]) => points !== 0)
    },
    takenElsewhere(subject, points) {
      const bucket = bucketOf(subject)
      bucket.left = Math.min(most, bucket.left - points)
    },
  }
}
