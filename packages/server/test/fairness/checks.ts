import { percentile } from './other-user.ts'
import { REMAINING_MIB, type Result } from './run-row.ts'

export interface Limits {
  p50Ms: number
  mostMs: number
  growthMiB: number
}

export const limits: Limits = { p50Ms: 100, mostMs: 1_000, growthMiB: 300 }

/** The time limit for an incomplete request: the documented 30 seconds, plus a tolerance for late checks. */
const UNFINISHED_OPEN_MS = 33_000

export function checkResult(result: Result): string[] {
  return [...checkService(result), ...checkTimes(result), ...checkMemory(result)]
}

export function checkService({ row, rejections, readyz, devices, outcomes }: Result): string[] {
  const failures: string[] = []
  const rejected = total(rejections)
  if (rejected > 0) failures.push(`the other user was rejected ${rejected} times: ${list(rejections)}`)
  const { 200: _, ...unready } = readyz
  if (total(unready) > 0) failures.push(`/readyz returned ${list(unready)}`)
  if (devices.connected < devices.of || total(devices.failures) > 0)
    failures.push(`${devices.connected} of ${devices.of} devices stayed connected: ${list(devices.failures)}`)
  if (row.isAllowed !== true && !wasRejected(outcomes, row.closes === true))
    failures.push('the attacker was never rejected')
  return failures
}

function checkTimes({ times, longestOpen }: Result): string[] {
  const failures: string[] = []
  const p50 = percentile(times, 0.5)
  const most = times.at(-1) ?? Number.NaN
  if (!(p50 <= limits.p50Ms)) failures.push(`p50 is ${p50.toFixed(0)} ms, above ${limits.p50Ms} ms`)
  if (!(most <= limits.mostMs))
    failures.push(`the slowest response took ${most.toFixed(0)} ms, above ${limits.mostMs} ms`)
  if (longestOpen > UNFINISHED_OPEN_MS)
    failures.push(`a connection without a complete request stayed open for ${(longestOpen / 1_000).toFixed(0)} s`)
  return failures
}

function checkMemory({ memory: { before, most, after } }: Result): string[] {
  const failures: string[] = []
  const growth = most.server - before.server
  const remaining = after.server - before.server
  if (growth >= limits.growthMiB)
    failures.push(`memory grew by ${growth.toFixed(0)} MiB, above ${limits.growthMiB} MiB`)
  if (remaining >= REMAINING_MIB)
    failures.push(`memory remained ${remaining.toFixed(0)} MiB higher, above ${REMAINING_MIB} MiB`)
  return failures
}

/**
 * Returns whether the outcomes include a rejection. With `closes`, closed and failed connections and timeouts (408)
 * also count as rejections.
 */
export function wasRejected(outcomes: Record<string, number>, closes = false): boolean {
  return Object.keys(outcomes).some(
    (outcome) =>
      /^(429|503)|RATE_LIMITED|LIMIT_EXCEEDED/.test(outcome) || (closes && /^(closed|not connected|408)/.test(outcome)),
  )
}

const total = (counts: Record<string, number>): number => Object.values(counts).reduce((sum, count) => sum + count, 0)

export const list = (counts: Record<string, number>): string =>
  Object.entries(counts)
    .map(([kind, count]) => `${count} × ${kind}`)
    .join(', ') || 'none'
