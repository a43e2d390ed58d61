import type { Database } from '../../db/database.ts'
import { findIntervals } from '../freshness/expected-intervals.ts'
import { confirmedAt, confirmValue, type Target } from './target.ts'

/** A value that a client wrote although the target already has it. */
export interface UnchangedValue {
  target: Target
  context: string | undefined
  name: string
}

/** The maximum number of writes of an unchanged value that the server records per expected interval. */
const RECORDED_PER_INTERVAL = 4

/**
 * Updates the last write time of each unchanged value whose name has an expected interval. Omits values for which less
 * than 1/`RECORDED_PER_INTERVAL` of the interval has passed since the recorded time. The targets must be locked.
 * `saveTargets` saves the times.
 */
export async function confirmValues(
  db: Database,
  accountId: string,
  unchanged: readonly UnchangedValue[],
): Promise<void> {
  if (unchanged.length === 0) return
  const intervals = await findIntervals(db, accountId, [...new Set(unchanged.map(({ name }) => name))])
  for (const { target, context, name } of unchanged) {
    const seconds = intervals.get(name)
    if (seconds === undefined || target.lockedAt === undefined) continue
    const due = (confirmedAt(target, context, name) ?? 0) + (seconds * 1_000) / RECORDED_PER_INTERVAL
    if (due <= target.lockedAt.getTime()) confirmValue(target, context, name)
  }
}
