import type { Context } from '../../context.ts'
import type { UserPresenceArgs } from '../../resolvers.generated.ts'
import { insideOf } from '../../restriction.ts'
import { LONG_MINUTES, type PresencePoint, SHORT_MINUTES, selectSamples } from './presence-samples.queries.ts'
import { readSpan } from './span.ts'

/** The number of days for which the server keeps five-minute samples. */
export const SHORT_DAYS = 2
/** The number of days for which the server keeps hourly samples. */
export const HOURLY_DAYS = 400

const MINUTE_MS = 60_000
const DAY_MS = 1_440 * MINUTE_MS

export const MAX_POINTS = 1_000
/** The possible lengths, in minutes, of the longer intervals into which samples are combined: one hour to one day. */
const longer = [1, 2, 3, 6, 12, 24].map((hours) => hours * LONG_MINUTES)

/** Estimates the number of samples that a query reads but does not return, because it combines them. */
export function samplesRead({ from, until }: UserPresenceArgs): number {
  const minutes = ((until ?? new Date()).getTime() - from.getTime()) / MINUTE_MS
  return Math.max(0, Math.min(minutes, SHORT_DAYS * 1_440) / SHORT_MINUTES + minutes / LONG_MINUTES - MAX_POINTS)
}

/** Returns null for a viewer who cannot reach all devices. */
export async function listPresence(
  { db, viewer, clock, rowMeter }: Context,
  args: UserPresenceArgs,
): Promise<PresencePoint[] | null> {
  const { from, until } = readSpan(args, clock())
  if (insideOf(viewer) !== undefined) return null
  rowMeter.add(() => samplesRead(args))
  return selectSamples(db, viewer.accountId, { from, until, minutes: intervalOf(from, until, clock()) })
}

/** Returns an interval, in minutes, that produces at most `MAX_POINTS` points. */
function intervalOf(from: Date, until: Date, now: Date): number {
  const shortFrom = now.getTime() - SHORT_DAYS * DAY_MS - LONG_MINUTES * MINUTE_MS
  const short = Math.max(0, until.getTime() - Math.max(from.getTime(), shortFrom)) / MINUTE_MS
  const long = Math.max(0, Math.min(until.getTime(), shortFrom) - from.getTime()) / MINUTE_MS
  if (short / SHORT_MINUTES + long / LONG_MINUTES + 2 <= MAX_POINTS) return SHORT_MINUTES
  return longer.find((minutes) => (short + long) / minutes + 2 <= MAX_POINTS)!
}
