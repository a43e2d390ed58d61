import { performance } from 'node:perf_hooks'
import { createConcurrencyLimit } from './concurrency-limit.ts'
import type { Health } from './sending.queries.ts'

/** Limits attempts for a receiver. After 10 consecutive failures, allows one attempt per minute until one succeeds. */
export interface Breaker {
  /** The maximum number of attempts that can be in flight now. */
  allowed(): number
  /** The number of milliseconds until the next attempt is allowed. Undefined unless the last 10 attempts failed. */
  probeIn(): number | undefined
  /** Adds the result of an attempt, with its duration in milliseconds. Returns the receiver's health if it changed. */
  add(isSuccess: boolean, duration: number): Health | undefined
}

const FAILURES = 10
const PROBE_SECONDS = 60

export function createBreaker({ failures, probeIn }: Health): Breaker {
  let probeAt = probeIn === null ? undefined : performance.now() + probeIn * 1_000
  const concurrency = createConcurrencyLimit()
  return {
    allowed: () => (probeAt === undefined ? concurrency.current() : performance.now() >= probeAt ? 1 : 0),
    probeIn: () => (probeAt === undefined ? undefined : Math.max(0, probeAt - performance.now())),
    add(isSuccess, duration) {
      concurrency.add(isSuccess, duration)
      if (isSuccess && failures === 0) return undefined
      failures = isSuccess ? 0 : failures + 1
      const isOpen = failures >= FAILURES
      probeAt = isOpen ? performance.now() + PROBE_SECONDS * 1_000 : undefined
      return { failures, probeIn: isOpen ? PROBE_SECONDS : null }
    },
  }
}
